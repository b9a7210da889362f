"""The process's client."""

import os
from dataclasses import replace

import pytest

from dynapages.calls.client import build_client
from dynapages.process import client, connected, current_connection, pool

pytestmark = pytest.mark.usefixtures("process")


class TestBeingConnectedOtherwise:
    def test_lasts_for_a_block_and_gives_back_the_very_same_client_and_pool(self):
        before = client(), pool()
        elsewhere = replace(current_connection(), endpoint_url="http://127.0.0.1:9")
        with connected(elsewhere):
            assert client().meta.endpoint_url == "http://127.0.0.1:9"
            assert current_connection() == elsewhere
        assert (client(), pool()) == before

    def test_ends_with_whatever_ends_the_block(self):
        before = current_connection()
        with pytest.raises(KeyboardInterrupt), connected(replace(before, parallel_calls=1)):
            raise KeyboardInterrupt
        assert current_connection() == before


class TestTheTransport:
    @pytest.mark.parametrize("by_library", [False, True])
    def test_is_botocores_unless_the_librarys_is_asked_for(self, by_library):
        asked_for = build_client(replace(current_connection(), library_transport=by_library))
        built_by_botocore: list[object] = []
        asked_for.meta.events.register(
            "request-created.*", lambda request, **_: built_by_botocore.append(request)
        )
        asked_for.list_tables()
        assert bool(built_by_botocore) is not by_library


class TestBuildingAnotherClient:
    def test_reads_no_description_of_the_service_again(self):
        """They are megabytes of JSON: without this, it takes ten times as long."""
        one, other = (build_client(current_connection()).meta.service_model for _ in range(2))
        assert one._service_description is other._service_description

    def test_shares_nothing_that_is_heard_of_its_calls(self):
        one, other = (build_client(current_connection()) for _ in range(2))
        heard: list[object] = []
        one.meta.events.register("provide-client-params.*", lambda **asked: heard.append(asked))
        other.meta.events.emit("provide-client-params.dynamodb.Scan", params={})
        assert heard == []


class TestAForkedProcess:
    def test_has_a_client_and_a_pool_of_its_own(self):
        before = client(), pool()
        process = os.fork()
        if not process:
            ours = client() not in before and pool() not in before and bool(client().list_tables())
            os._exit(0 if ours else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
        assert (client(), pool()) == before
