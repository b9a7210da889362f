"""What is counted of comments for topics."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from comments.search.words import MOST_STEMS, indexed_stems, spellings_of_stems
from comments.topics.tally import ReadComment, WordCount
from tests.support.comments.made_reviews import tally_of


def test_a_comment_counts_once_for_a_word_however_often_it_has_it():
    tally = tally_of([ReadComment("Battery", "the batteries, battery after battery", 5)])
    word = tally.words["batteri"]
    assert (word.comments, word.good) == (1, 1)
    assert word.spellings == Counter({"Battery": 1, "battery": 1, "batteries": 1})


def test_four_and_five_stars_are_good():
    tally = tally_of([ReadComment("", "zip", rating) for rating in (1, 2, 3, 4, 5)])
    assert (tally.comments, tally.stars, tally.good) == (5, 15, 2)
    assert (tally.words["zip"].comments, tally.words["zip"].good) == (5, 2)


def test_the_words_are_those_that_a_search_finds_a_comment_by():
    body = " ".join(f"word{number}" for number in range(MOST_STEMS + 20)) + " e-bike"
    for text in ("The e-bike's battery, and not the others", body):
        assert list(spellings_of_stems("A title", text, "en")) == list(
            indexed_stems("A title", text, "en")
        )
        assert list(tally_of([ReadComment("A title", text, 3)]).words) == list(
            indexed_stems("A title", text, "en")
        )


def test_joined_words_are_counted_and_have_no_form():
    tally = tally_of([ReadComment("", "an e-bike", 3)])
    assert tally.words["ebik"].comments == 1
    assert not tally.words["ebik"].spellings


def test_words_of_scripts_without_spaces_have_no_form():
    tally = tally_of([ReadComment("", "电池不耐用", 3)], "zh")
    assert tally.words
    assert not any(word.spellings for word in tally.words.values())


def test_words_in_names_of_authors_are_counted_by_themselves():
    tally = tally_of([ReadComment("", "good", 3, author) for author in ("Anna K.", "anna", "")])
    assert tally.authors["anna"] == 2
    assert "anna" not in tally.words


WORDS = ("battery", "batteries", "Screen", "zip")
STEMS = {"battery": "batteri", "batteries": "batteri", "Screen": "screen", "zip": "zip"}


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(WORDS), max_size=6), st.integers(1, 5)), max_size=12
    )
)
def test_counts_are_those_of_a_plain_count(comments):
    tally = tally_of([ReadComment("", " ".join(words), rating) for words, rating in comments])
    for stem in set(STEMS.values()):
        having = [(words, rating) for words, rating in comments if stem in map(STEMS.get, words)]
        counted = tally.words.get(stem, WordCount())
        assert counted.comments == len(having)
        assert counted.good == sum(rating >= 4 for _words, rating in having)
        for form in WORDS:
            if STEMS[form] == stem:
                assert counted.spellings[form] == sum(form in words for words, _rating in having)
