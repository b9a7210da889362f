"""Position tokens signed by Django's keys."""

import pytest
from django.test import override_settings

from dynapages import Tokens
from dynapages.django.paging import PositionSigner
from dynapages.lists import DamagedToken, Ordinal, Position

LIST = "comments/42/de.en/1.2"
POSITION = Position("2026-11-20T09:30:00.000000Z#c", "USER#alex", Ordinal(60))


class TestAKeyThatWasReplaced:
    def test_still_reads_old_tokens_while_it_is_a_fallback(self):
        with override_settings(SECRET_KEY="former " * 10):
            token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with override_settings(SECRET_KEY_FALLBACKS=["former " * 10]):
            assert Tokens(PositionSigner()).read(token, list_name=LIST) == POSITION

    def test_reads_none_afterwards(self):
        with override_settings(SECRET_KEY="former " * 10):
            token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with pytest.raises(DamagedToken):
            Tokens(PositionSigner()).read(token, list_name=LIST)


class TestATokenOfEarlierReleases:
    def test_is_written_and_read_byte_for_byte(self):
        body = "AfRZ4FshkgAAADwACVVTRVIjYWxleDIwMjYtMTEtMjBUMDk6MzA6MDAuMDAwMDAwWiNj"
        earlier = f"{body}.SQoZNm6VFC9VJKuiaeH-Mwni-OKKPpwteNUWuGxTCqI"
        with override_settings(SECRET_KEY="former " * 10):
            tokens = Tokens(PositionSigner())
            assert tokens.write(POSITION, list_name=LIST) == earlier
            assert tokens.read(earlier, list_name=LIST) == POSITION
