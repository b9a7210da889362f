import hmac
import re
from base64 import urlsafe_b64encode
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.items import sort_key_of
from dynapages.lists.key_texts import END, text_of
from dynapages.lists.runs import Ordinal, Position
from dynapages.lists.tokens import DamagedToken, ForeignToken, KeyedSigner, Tokens
from dynapages_testing.merged_lists import START

KEY = "a secret of the tests"
TOKENS = Tokens(KEY)
LIST = "comments/42/de.en/1.2"
POSITION = Position(sort_key_of(START, "c" * 90), "USER#alex", Ordinal(60))
URL_SAFE = re.compile(r"[A-Za-z0-9._~-]+")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=128)
any_position = st.builds(
    Position,
    st.builds(sort_key_of, st.just(START), texts),
    texts,
    st.integers(1 - 2**31, 2**31 - 1).map(Ordinal.from_signed) | st.none(),
    st.booleans(),
)


class TestAToken:
    @given(position=any_position, list_name=texts)
    def test_is_read_back_as_the_position(self, position, list_name):
        token = TOKENS.write(position, list_name=list_name)
        assert TOKENS.read(token, list_name=list_name) == position

    @given(position=any_position)
    def test_needs_no_escape_in_a_url(self, position):
        assert URL_SAFE.fullmatch(TOKENS.write(position, list_name=LIST))

    @pytest.mark.parametrize("name", ["x", LIST, "all the languages of the world, " * 50])
    def test_of_an_id_of_90_characters_is_at_most_300_long(self, name):
        assert len(TOKENS.write(POSITION, list_name=name)) <= 300

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
            damaged = damage(token, other, random)
            if damaged not in {token, other}:
                with pytest.raises(DamagedToken, match="damaged"):
                    TOKENS.read(damaged, list_name=LIST)
                refused += 1

    @given(text=st.text(st.characters(), max_size=300))
    def test_may_be_any_text(self, text):
        with pytest.raises(DamagedToken):
            TOKENS.read(text, list_name=LIST)

    @pytest.mark.parametrize(
        "text", ["", ".", "\ud800.x", "A" * 4097, "A" * 1_000_000, "é.é", "\0"]
    )
    def test_may_be_empty_or_long_or_no_text_at_all(self, text):
        with pytest.raises(DamagedToken):
            TOKENS.read(text, list_name=LIST)

    def test_may_be_signed_with_another_key(self):
        token = Tokens("another " * 10).write(POSITION, list_name=LIST)
        with pytest.raises(DamagedToken):
            TOKENS.read(token, list_name=LIST)

    def test_may_be_of_another_version(self):
        token = KeyedSigner(KEY).sign("A4" + TOKENS.write(POSITION, list_name=LIST)[2:-44])
        with pytest.raises(DamagedToken, match="too old"):
            TOKENS.read(token, list_name=LIST)

    def test_may_be_signed_by_the_same_secret_for_another_purpose(self):
        signed, _, _ = TOKENS.write(POSITION, list_name=LIST).rpartition(".")
        signature = hmac.digest(KEY.encode(), signed.encode(), "sha256")
        encoded = urlsafe_b64encode(signature).rstrip(b"=").decode()
        with pytest.raises(DamagedToken):
            TOKENS.read(f"{signed}.{encoded}", list_name=LIST)

    def test_may_be_something_else_that_was_signed(self):
        with pytest.raises(DamagedToken):
            TOKENS.read(KeyedSigner(KEY).sign("alex@example.com"), list_name=LIST)


class Unsigned:
    """A signer that signs nothing: it shows what is signed."""

    def sign(self, value: str) -> str:
        return value

    def unsign(self, value: str) -> str:
        return value


class Refusing:
    """A signer that must not be asked, because its work costs time."""

    def sign(self, value: str) -> str:
        return value

    def unsign(self, value: str) -> str:
        pytest.fail(f"asked for the signature of {len(value)} characters")


class TestWhatNoTokenCanBe:
    @pytest.mark.parametrize("text", ["A" * 4097, "A" * 1_000_000, "é.é"])
    def test_is_refused_before_its_signature_is_computed(self, text):
        with pytest.raises(DamagedToken):
            Tokens(Refusing()).read(text, list_name=LIST)


class TestWhatIsSigned:
    def test_stays_as_it_was_in_the_first_tokens(self):
        stored = "AfRZ4FshkgAAADwACVVTRVIjYWxleDIwMjYtMTEtMjBUMDk6MzA6MDAuMDAwMDAwWiNj"
        position = Position(sort_key_of(START, "c"), "USER#alex", Ordinal(60))
        assert Tokens(Unsigned()).write(position, list_name=LIST) == stored
        assert Tokens(Unsigned()).read(stored, list_name=LIST) == position

    def test_has_its_own_version_where_the_item_at_the_position_is_included(self):
        stored = "AvRZ4FshkgAAADwACVVTRVIjYWxleDIwMjYtMTEtMjBUMDk6MzA6MDAuMDAwMDAwWiNj"
        position = Position(sort_key_of(START, "c"), "USER#alex", Ordinal(60), inclusive=True)
        assert Tokens(Unsigned()).write(position, list_name=LIST) == stored
        assert Tokens(Unsigned()).read(stored, list_name=LIST) == position

    @pytest.mark.parametrize("key", [b"\xff" * 1024, "\0" * 1024])
    def test_may_be_the_longest_sort_key(self, key):
        position = Position(text_of(key) + END + "f" * 24, ordinal=None)
        token = TOKENS.write(position, list_name=LIST)
        assert TOKENS.read(token, list_name=LIST) == position


class TestASecret:
    @pytest.mark.parametrize("secret", ["", "fifteen letters", b"\0" * 15])
    def test_has_at_least_16_bytes(self, secret):
        with pytest.raises(ValueError, match="at least 16 bytes, not"):
            Tokens(secret)

    def test_may_have_no_more_than_these(self):
        Tokens(b"\0" * 16).write(POSITION, list_name=LIST)

    def test_may_be_bytes(self):
        token = Tokens(KEY.encode()).write(POSITION, list_name=LIST)
        assert TOKENS.read(token, list_name=LIST) == POSITION


def damage(token: str, other: str, random: Random) -> str:
    """Cut something out of a token, or nothing, and put something else in its place, or nothing."""
    start = random.randrange(len(token) + 1)
    end = random.choice([start, start + 1, random.randint(start, len(token))])
    flipped = "".join(chr(ord(c) ^ 1 << random.randrange(8)) for c in token[start:end])
    noise = "".join(random.choices("AQgw_-.0=% \n", k=random.randint(1, 40)))
    put = ["", noise[:1], noise, flipped, token[start:end].swapcase(), other[start:]]
    return token[:start] + random.choice(put) + token[end:]
