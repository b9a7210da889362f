"""Tokens signed with the site's SECRET_KEY."""

import pytest
from django.test import override_settings

from dynapages.django.paging import PositionSigner
from dynapages.lists.runs import Position
from dynapages.lists.tokens import DamagedToken, Tokens

LIST = "comments/42/de.en/1.2"
POSITION = Position("2026-11-20T09:30:00.000000Z#c", "USER#alex", 60)


class TestAToken:
    def test_is_read_back_as_the_position(self):
        token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        assert Tokens(PositionSigner()).read(token, list_name=LIST) == POSITION

    def test_of_another_key_is_refused(self):
        with override_settings(SECRET_KEY="another " * 10):
            token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with pytest.raises(DamagedToken):
            Tokens(PositionSigner()).read(token, list_name=LIST)

    def test_of_another_version_is_refused(self):
        token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with pytest.raises(DamagedToken, match="too old"):
            Tokens(PositionSigner()).read(
                PositionSigner().sign("Aq" + token[2:-44]), list_name=LIST
            )


class TestAKeyThatWasReplaced:
    def test_still_reads_old_tokens_while_it_is_a_fallback(self):
        with override_settings(SECRET_KEY="former " * 10):
            token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with override_settings(SECRET_KEY_FALLBACKS=["former " * 10]):
            assert Tokens(PositionSigner()).read(token, list_name=LIST) == POSITION
