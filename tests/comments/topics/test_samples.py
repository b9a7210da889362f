"""The words of a language: what they are counted in, and how they are stored and read."""

from datetime import timedelta
from unittest.mock import patch

import pytest

from comments import keys
from comments.models import TABLE
from comments.topics import samples, vocabulary
from comments.topics.samples import Vocabularies, make_vocabulary, read_vocabulary
from comments.topics.tally import ReadComment, Tally
from comments.topics.vocabulary import CommonWord, Vocabulary
from dynapages.calls import metered
from dynapages.process import client
from tests.support.chance import unique
from tests.support.comments.loading import load
from tests.support.comments.said import talk
from tests.support.comments.truth import START

pytestmark = pytest.mark.usefixtures("tables", "no_words")
NOW = START + timedelta(days=1)


@pytest.fixture
def no_words():
    """No words of a language are stored."""
    client().delete_item(TableName=TABLE, Key=keys.words_of("en"))


@pytest.fixture
def products():
    """Three products: with 12, with 10 and with 9 comments in English."""
    product_ids = [unique("lamp") for _ in range(3)]
    first, second, few = product_ids
    load(
        [
            *talk(first, 12, body="Battery died."),
            *talk(second, 10, body="Battery broke."),
            *talk(few, 9, body="Battery rocks."),
            *talk(few, 20, body="Akku", language="de"),
        ]
    )
    return product_ids


def test_words_are_counted_by_comments_and_by_products(products):
    made = make_vocabulary("en", products, NOW)
    first, second, _few = products
    assert made.comments == 22
    assert made.product_ids == {first, second}
    assert made.words == {
        "batteri": CommonWord(22, 2),
        "die": CommonWord(12, 1),
        "broke": CommonWord(10, 1),
    }
    assert (made.language, made.made_at) == ("en", NOW)


def test_the_newest_comments_of_the_first_products_are_in_the_sample(products, monkeypatch):
    monkeypatch.setattr(samples, "SAMPLE", 3)
    monkeypatch.setattr(samples, "MOST_PRODUCTS", 1)
    load(talk(products[0], 1, body="Oldest of all.", since=START - timedelta(days=9)))
    made = make_vocabulary("en", products, NOW)
    assert made.product_ids == {products[0]}
    assert made.words == {"batteri": CommonWord(3, 1), "die": CommonWord(3, 1)}


def test_no_more_products_are_looked_at_than_a_sample_is_worth(products, monkeypatch):
    monkeypatch.setattr(samples, "MOST_LOOKED_AT", 1)
    assert make_vocabulary("en", products, NOW).product_ids == {products[0]}


def test_a_word_in_one_comment_alone_is_not_stored(products):
    load(talk(products[0], 1, body="Unheard."))
    assert "unheard" not in make_vocabulary("en", products, NOW).words


def test_the_most_common_words_alone_are_stored(products, monkeypatch):
    monkeypatch.setattr(vocabulary, "MOST_WORDS", 2)
    assert make_vocabulary("en", products, NOW).words.keys() == {"batteri", "die"}


def test_a_vocabulary_is_read_as_it_was_stored(products):
    made = Vocabularies(lambda: products, NOW).of("en")
    assert made.words
    assert read_vocabulary("en") == made


def test_none_is_read_where_none_is_stored():
    assert read_vocabulary("en") is None


def test_none_is_read_where_its_stems_are_of_another_version(products):
    Vocabularies(lambda: products, NOW).of("en")
    with patch.object(samples, "VERSION", "w99"):
        assert read_vocabulary("en") is None


def test_what_is_stored_has_room_in_an_item_however_long_words_are(products, monkeypatch):
    item = samples._item_of(make_vocabulary("en", products, NOW))
    monkeypatch.setattr(samples, "MOST_BYTES", len(item["words"]["B"]) - 1)
    Vocabularies(lambda: products, NOW).of("en")
    stored = read_vocabulary("en")
    assert stored is not None
    assert stored.words.keys() == {"batteri"}


class TestWhenAVocabularyIsMade:
    def age(self, age: timedelta) -> None:
        Vocabularies(list, NOW - age).of("en")

    @pytest.mark.parametrize(
        ("age", "is_made"),
        [
            (timedelta(days=6, hours=23), False),
            (timedelta(days=7), True),
            (timedelta(days=300), True),
        ],
    )
    def test_is_that_the_stored_one_is_a_week_old(self, products, age, is_made):
        self.age(age)
        assert bool(Vocabularies(lambda: products, NOW).of("en").words) == is_made
        stored = read_vocabulary("en")
        assert stored is not None
        assert stored.made_at == (NOW if is_made else NOW - age)

    def test_is_once_whatever_is_made_by_it(self, products):
        vocabularies = Vocabularies(lambda: products, NOW)
        made = vocabularies.of("en")
        with metered() as meter:
            assert vocabularies.of("en") is made
        assert meter.calls == 0

    def test_is_always_for_a_command_that_makes_all_anew(self, products):
        self.age(timedelta(seconds=1))
        assert Vocabularies(lambda: products, NOW, longest_used=timedelta(0)).of("en").words


def tally_of(*bodies: str) -> Tally:
    tally = Tally("en")
    for body in bodies:
        tally.add(ReadComment("", body, 5))
    return tally


class TestTheWordsOfOtherProducts:
    words = Vocabulary(
        "en",
        comments=20,
        product_ids=frozenset({"lamp", "other"}),
        words={"batteri": CommonWord(12, 2), "die": CommonWord(1, 1), "plug": CommonWord(3, 1)},
    )

    def test_are_all_for_a_product_that_is_not_in_the_sample(self):
        assert self.words.without("new", tally_of("battery")) is self.words

    def test_lack_those_that_the_product_has_in_the_sample(self):
        others = self.words.without("lamp", tally_of("battery", "battery plug", "unheard"))
        assert others.comments == 17
        assert others.product_ids == {"other"}
        assert others.words == {
            "batteri": CommonWord(10, 1),
            "die": CommonWord(1, 1),
            "plug": CommonWord(2, 0),
        }

    def test_are_never_fewer_than_none(self):
        """The product has got newer comments since the sample was taken."""
        others = self.words.without("lamp", tally_of(*["it died"] * 30))
        assert others.comments == 0
        assert others.words["die"] == CommonWord(0, 0)
