"""The choice of topics, on made comments: what was planted is found, and nothing else."""

import pytest

from comments.topics.choosing import choose_topics, shown_form
from comments.topics.records import MOST_TOPICS
from comments.topics.tally import ReadComment, WordCount
from comments.topics.vocabulary import Vocabulary
from tests.support.comments.made_reviews import (
    PRODUCTS,
    Planted,
    comments_with,
    made_products,
    tally_of,
)

PLANTED = (
    Planted("battery", 0.25, ratings=(1, 1, 2)),
    Planted("screen", 0.12, ratings=(5, 5, 4)),
    Planted("zipper", 0.1),
)


def everywhere(plant):
    return {product_id: [plant] for product_id in PRODUCTS}


def topics_of(made, product_id, **options):
    return choose_topics(made.tallies[product_id], made.others_than(product_id), **options)


def forms_of(topics):
    return [topic.form for topic in topics]


@pytest.mark.parametrize("seed", range(5))
def test_all_planted_topics_are_found_and_nothing_else(seed):
    made = made_products(seed, planted={"a": PLANTED})
    assert set(forms_of(topics_of(made, "a"))) == {"battery", "screen", "zipper"}


def test_each_number_is_that_of_a_plain_count():
    made = made_products(7, planted={"a": PLANTED})
    for topic in topics_of(made, "a"):
        having = comments_with(made.comments["a"], topic.form)
        good = [comment for comment in having if comment.rating >= 4]
        assert (topic.comments, topic.good) == (len(having), len(good))


@pytest.mark.parametrize("seed", range(4))
def test_where_nothing_was_planted_no_product_has_a_topic(seed):
    made = made_products(seed)
    for product_id in PRODUCTS:
        assert topics_of(made, product_id) == []


def test_a_word_that_is_as_frequent_everywhere_is_none():
    made = made_products(1, planted=everywhere(Planted("charger", 0.2)))
    assert topics_of(made, "a") == []


def test_it_is_one_where_the_comments_with_it_are_much_worse_than_the_rest():
    bad = Planted("charger", 0.35, ratings=(1,))
    few = Planted("charger", 0.1)
    planted = {**everywhere(few), "a": [bad]}
    made = made_products(1, planted=planted)
    assert forms_of(topics_of(made, "a")) == ["charger"]


def test_two_languages_have_topics_of_their_own():
    english = made_products(3, "en", {"a": [Planted("battery", 0.2)]})
    german = made_products(4, "de", {"a": [Planted("Reißverschluss", 0.2)]})
    assert forms_of(topics_of(english, "a")) == ["battery"]
    assert forms_of(topics_of(german, "a")) == ["Reißverschluss"]


def test_a_site_with_one_product_has_topics_by_ratings_alone():
    made = made_products(2, planted={"a": PLANTED})
    topics = choose_topics(made.tallies["a"], Vocabulary("en"))
    assert set(forms_of(topics)) == {"battery", "screen"}


def test_there_are_as_many_as_have_room():
    words = ("battery", "screen", "zipper", "lens", "cable", "strap", "hinge", "button", "sensor")
    planted = [Planted(word, 0.1 + number / 100) for number, word in enumerate(words)]
    made = made_products(5, planted={"b": planted})
    assert len(topics_of(made, "b")) == MOST_TOPICS < len(words)


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("because", id="a stop word"),
        pytest.param("excellent", id="a judgement"),
        pytest.param("shitty", id="profanity"),
        pytest.param("2024", id="a number"),
        pytest.param("5g", id="one letter"),
        pytest.param("perché", id="a stop word of another language"),
    ],
)
def test_some_words_are_no_topics_however_many_use_them(word):
    made = made_products(6, planted={"a": [Planted(word, 0.3, ratings=(1,))]})
    assert topics_of(made, "a") == []


def test_a_word_that_buyers_care_for_is_one_though_the_library_lists_it():
    made = made_products(6, planted={"a": [Planted("case", 0.2)]})
    assert forms_of(topics_of(made, "a")) == ["case"]


def test_the_name_of_the_product_is_none_in_any_inflection():
    made = made_products(6, planted={"a": [Planted("lantern", 0.2)]})
    assert forms_of(topics_of(made, "a")) == ["lantern"]
    assert topics_of(made, "a", names=["Two Lanterns, blue"]) == []


def test_a_banned_word_leaves_its_place_to_another_one():
    made = made_products(6, planted={"a": PLANTED})
    assert forms_of(topics_of(made, "a", banned=["batteri"])) == ["screen", "zipper"]


def test_a_word_of_two_products_is_one_only_where_it_is_far_more_frequent():
    here = [Planted("gasket", 0.15)]
    made = made_products(8, planted={"a": here, "b": [Planted("gasket", 0.04)]})
    assert topics_of(made, "a") == []
    made = made_products(8, planted={"a": here, "b": [Planted("gasket", 0.008)]})
    assert forms_of(topics_of(made, "a")) == ["gasket"]


def test_what_a_quarter_of_the_comments_name_and_no_others_is_the_product_itself():
    made = made_products(8, planted={"a": [Planted("lantern", 0.4)]})
    assert topics_of(made, "a") == []
    planted = {**everywhere(Planted("lantern", 0.03)), "a": [Planted("lantern", 0.4)]}
    made = made_products(8, planted=planted)
    assert forms_of(topics_of(made, "a")) == ["lantern"]


def test_in_a_language_without_stop_words_there_are_none_before_there_are_other_products():
    made = made_products(2, "is", {"a": PLANTED})
    assert choose_topics(made.tallies["a"], Vocabulary("is")) == []
    assert forms_of(topics_of(made, "a"))


# Names of authors


def named(comments, names):
    """Return comments with the names of authors, of which there are fewer."""
    texts = [*names, *[""] * (len(comments) - len(names))]
    return [
        ReadComment("", comment.body, comment.rating, author)
        for comment, author in zip(comments, texts, strict=True)
    ]


def test_the_name_of_an_author_is_none():
    made = made_products(9, planted={"a": [Planted("Zorblax", 0.2)]})
    tally = tally_of(named(made.comments["a"], ["zorblax the second"]))
    assert topics_of(made, "a")
    assert choose_topics(tally, made.others_than("a")) == []


def test_a_word_that_few_authors_are_called_by_stays_one():
    planted = {
        **everywhere(Planted("battery", 0.02)),
        "a": [Planted("battery", 0.3)],
    }
    made = made_products(9, planted=planted)
    others = made.others_than("a")
    once = tally_of(named(made.comments["a"], ["battery fan"]))
    often = tally_of(named(made.comments["a"], ["battery fan"] * 40))
    assert forms_of(choose_topics(once, others)) == ["battery"]
    assert choose_topics(often, others) == []


# How it is written


@pytest.mark.parametrize(
    ("spellings", "shown"),
    [
        ({"battery": 5, "batteries": 3}, "battery"),
        ({"battery": 2, "batteries": 3}, "batteries"),
        ({"Battery": 3, "battery": 2}, "battery"),
        ({"Akku": 9, "akku": 2}, "Akku"),
        ({"SAMSUNG": 1, "Samsung": 6, "samsung": 2}, "Samsung"),
        ({"NHS": 4}, "NHS"),
        ({"Ärger": 3, "ärger": 2}, "ärger"),
    ],
)
def test_it_is_shown_as_it_is_written_most(spellings, shown):
    word = WordCount()
    word.spellings.update(spellings)
    assert shown_form(word) == shown


def test_all_inflections_are_counted_and_the_stem_is_never_shown():
    made = made_products(6)
    with_word = [
        ReadComment("", f"{comment.body} {form}", 1)
        for comment, form in zip(
            made.comments["a"][:60], ["battery", "batteries"] * 30, strict=True
        )
    ]
    tally = tally_of([*with_word, *made.comments["a"][60:]])
    (topic,) = choose_topics(tally, made.others_than("a"))
    assert (topic.stem, topic.comments) == ("batteri", 60)
    assert topic.form in {"battery", "batteries"}
