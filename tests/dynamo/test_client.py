"""The process's client."""

from dataclasses import replace

import pytest

from dynamo.client import client, connected, current_connection, pool


class TestBeingConnectedOtherwise:
    def test_lasts_for_a_block(self):
        elsewhere = replace(current_connection(), endpoint_url="http://127.0.0.1:9")
        with connected(elsewhere):
            assert client().meta.endpoint_url == "http://127.0.0.1:9"
            assert current_connection() == elsewhere
        assert client().meta.endpoint_url != "http://127.0.0.1:9"

    def test_gives_back_the_very_same_client_and_pool(self):
        before = client(), pool()
        with connected(replace(current_connection(), read_seconds=60.0)):
            assert client() is not before[0]
        assert (client(), pool()) == before

    def test_ends_with_whatever_ends_the_block(self):
        before = current_connection()
        with pytest.raises(KeyboardInterrupt), connected(replace(before, parallel_calls=1)):
            raise KeyboardInterrupt
        assert current_connection() == before
