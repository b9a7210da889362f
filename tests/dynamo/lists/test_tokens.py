import re
from random import Random

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from dynamo.lists.runs import Position, sort_key_of
from dynamo.lists.tokens import DamagedToken, ForeignToken, Tokens
from dynamo.web.paging import PositionSigner
from tests.support.merged_lists import START

TOKENS = Tokens(PositionSigner())
LIST = "comments/42/de.en/1.2"
POSITION = Position(sort_key_of(START, "c" * 90), "USER#alex", 60)
URL_SAFE = re.compile(r"[A-Za-z0-9._~-]+")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=128)
any_position = st.builds(
    Position,
    st.builds(sort_key_of, st.just(START), texts),
    texts,
    st.integers(1 - 2**31, 2**31 - 1) | st.none(),
)


class TestAToken:
    @given(position=any_position, list_name=texts)
    def test_is_read_back_as_the_position(self, position, list_name):
        token = TOKENS.write(position, list_name=list_name)
        assert TOKENS.read(token, list_name=list_name) == position

    @given(position=any_position)
    def test_needs_no_escape_in_a_url(self, position):
        assert URL_SAFE.fullmatch(TOKENS.write(position, list_name=LIST))

    def test_of_an_id_of_90_characters_is_at_most_300_long(self):
        assert len(TOKENS.write(POSITION, list_name=LIST)) <= 300

    def test_is_as_long_whatever_the_list(self):
        lists = ["x", LIST, "all the languages of the world, " * 50]
        assert len({len(TOKENS.write(POSITION, list_name=name)) for name in lists}) == 1

    @given(position=any_position, one=texts, other=texts)
    def test_of_another_list_is_refused(self, position, one, other):
        if one == other:
            return
        token = TOKENS.write(position, list_name=one)
        with pytest.raises(ForeignToken, match="another list"):
            TOKENS.read(token, list_name=other)


class TestADamagedToken:
    def test_is_refused_ten_thousand_times(self):
        random = Random(2026)
        token = TOKENS.write(POSITION, list_name=LIST)
        other = TOKENS.write(Position(sort_key_of(START, "d")), list_name=LIST)
        refused = 0
        while refused < 10_000:
            damaged = random.choice(DAMAGES)(token, other, random)
            if damaged not in {token, other}:
                with pytest.raises(DamagedToken, match="damaged"):
                    TOKENS.read(damaged, list_name=LIST)
                refused += 1

    @given(text=st.text(st.characters(), max_size=300))
    def test_may_be_any_text(self, text):
        with pytest.raises(DamagedToken):
            TOKENS.read(text, list_name=LIST)

    @pytest.mark.parametrize(
        "text", ["", ".", "\ud800.x", "A" * 2049, "A" * 1_000_000, "é.é", "\0"]
    )
    def test_may_be_empty_or_long_or_no_text_at_all(self, text):
        with pytest.raises(DamagedToken):
            TOKENS.read(text, list_name=LIST)

    def test_may_be_signed_with_another_key(self):
        with override_settings(SECRET_KEY="another " * 10):
            token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with pytest.raises(DamagedToken):
            TOKENS.read(token, list_name=LIST)

    def test_may_be_of_another_version(self):
        token = PositionSigner().sign("Aq" + TOKENS.write(POSITION, list_name=LIST)[2:-44])
        with pytest.raises(DamagedToken, match="too old"):
            TOKENS.read(token, list_name=LIST)

    def test_may_be_something_else_the_site_signed(self):
        with pytest.raises(DamagedToken):
            TOKENS.read(PositionSigner().sign("alex@example.com"), list_name=LIST)


class TestAKeyThatWasReplaced:
    def test_still_reads_old_tokens_while_it_is_a_fallback(self):
        with override_settings(SECRET_KEY="former " * 10):
            token = Tokens(PositionSigner()).write(POSITION, list_name=LIST)
        with override_settings(SECRET_KEY_FALLBACKS=["former " * 10]):
            assert Tokens(PositionSigner()).read(token, list_name=LIST) == POSITION


def _flip_a_bit(token: str, _other: str, random: Random) -> str:
    data = bytearray(token.encode())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data.decode("latin-1")


def _replace(token: str, _other: str, random: Random) -> str:
    at = random.randrange(len(token))
    return token[:at] + random.choice("AQgw_-.0=%") + token[at + 1 :]


def _truncate(token: str, _other: str, random: Random) -> str:
    return token[: random.randrange(len(token))]


def _behead(token: str, _other: str, random: Random) -> str:
    return token[random.randint(1, len(token)) :]


def _extend(token: str, _other: str, random: Random) -> str:
    return token + "".join(random.choices("AQgw_-.0= ", k=random.randint(1, 40)))


def _insert(token: str, _other: str, random: Random) -> str:
    at = random.randrange(len(token))
    return token[:at] + random.choice("AQgw_-.0= \n") + token[at:]


def _swap(token: str, _other: str, random: Random) -> str:
    at = random.randrange(len(token) - 1)
    return token[:at] + token[at + 1] + token[at] + token[at + 2 :]


def _splice(token: str, other: str, random: Random) -> str:
    return token[: random.randrange(len(token))] + other[random.randrange(len(other)) :]


def _change_case(token: str, _other: str, random: Random) -> str:
    return random.choice([str.upper, str.lower, str.swapcase])(token)


DAMAGES = [
    _flip_a_bit,
    _replace,
    _truncate,
    _behead,
    _extend,
    _insert,
    _swap,
    _splice,
    _change_case,
]
