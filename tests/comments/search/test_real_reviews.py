"""Searches of real reviews, compared with a plain reading of the file."""

import tomllib
from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise
from random import Random
from unicodedata import category, name, normalize

import pytest
import snowballstemmer

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.lists.search_queries import SearchRequest, search_comments
from comments.posting.services import add_comment
from comments.search.endings import with_accents
from comments.search.models import TABLE
from comments.search.words import indexed_stems, parse_search
from comments.store.counts import ProductCounts
from dynapages.lists import PageRequest, Toward
from dynapages.process import client
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import real_comments
from tests.support.comments.walking import ids_on
from tests.support.project import PROJECT

pytestmark = [pytest.mark.real_engine, pytest.mark.slow]

PRODUCT = "real-words"
EVERY = 16
SEARCHES = 60
WRITTEN = 100
STEMMERS = {
    code: snowballstemmer.stemmer(algorithm)
    for code, algorithm in {
        "da": "danish",
        "de": "german",
        "en": "english",
        "es": "spanish",
        "fr": "french",
        "it": "italian",
        "nl": "dutch",
        "pt": "portuguese",
        "ru": "russian",
    }.items()
}
COMMON = tomllib.loads((PROJECT / "comments" / "search" / "common.toml").read_text("utf-8"))
WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "MYANMAR", "THAI")


SIGNS = "-\u2010\u2011'\u2019\u02bc&"
APOSTROPHES = "'\u2019\u02bc"
ELISION = ("fr", "it")
WITHOUT_PLAIN_FORM = {
    "LATIN SMALL LETTER AE": "ae",
    "LATIN SMALL LETTER ENG": "n",
    "LATIN SMALL LETTER ETH": "d",
    "LATIN SMALL LETTER THORN": "th",
    "LATIN SMALL LETTER DOTLESS I": "i",
    "LATIN SMALL LIGATURE OE": "oe",
    "CYRILLIC SMALL LETTER IO": "\u0435",
}


def is_without_spaces(character: str) -> bool:
    return name(character, "").startswith(WITHOUT_SPACES)


def is_of_a_word(character: str, word: str) -> bool:
    """Whether a character stands in a word that has begun so."""
    kind = category(character)[0]
    is_selector = name(character, "").startswith("VARIATION SELECTOR")
    is_mark = kind == "M" and bool(word) and not is_selector
    return (kind in "LN" and character not in SIGNS) or is_mark


def plain_chains(text: str, signs: str) -> list[list[str]]:
    """The runs of a text, in lists of those with one of these signs between them."""
    chains, word, is_joined = list[list[str]](), "", False
    for character in f"{text}\n":
        if is_of_a_word(character, word):
            word += character
            continue
        if word and is_joined:
            chains[-1].append(word)
        elif word:
            chains.append([word])
        is_joined = bool(word) and character in signs
        word = ""
    return chains


def plain_pieces(run: str) -> list[str]:
    """The words of a run: parts of one kind of script, and pairs where there are no spaces."""
    pieces = []
    for has_no_spaces, characters in groupby(run, is_without_spaces):
        part = "".join(characters)
        pieces += ["".join(pair) for pair in pairwise(part)] if has_no_spaces else [part]
    return pieces


def plain_words(text: str) -> list[str]:
    """The words of a text, character by character."""
    return [
        piece for chain in plain_chains(text, "") for run in chain for piece in plain_pieces(run)
    ]


def plain_letter(character: str) -> str:
    """A letter without its accents, by its name in Unicode."""
    called = name(character, "")
    if called in WITHOUT_PLAIN_FORM:
        return WITHOUT_PLAIN_FORM[called]
    if called.startswith("LATIN SMALL LETTER") and " WITH " in called:
        return called.removeprefix("LATIN SMALL LETTER ").partition(" WITH ")[0].lower()
    is_vowel_sign = called.startswith("ARABIC") and category(character) == "Mn"
    is_of_a_word = category(character)[0] in "LMN"
    is_left_out = called.startswith("COMBINING") or is_vowel_sign or not is_of_a_word
    return "" if is_left_out else character


def plain_stem(word: str, language: str) -> str:
    casefolded = normalize("NFKC", normalize("NFKC", word).casefold())
    folded = "".join(map(plain_letter, casefolded))[:40]
    if language in STEMMERS:
        folded = STEMMERS[language].stemWord(with_accents(folded, language))
    return "".join(map(plain_letter, folded))


def plain_joined(text: str, language: str) -> list[str]:
    """The stems of words with signs between them."""
    signs = SIGNS
    if language in ELISION:
        signs = "".join(sign for sign in SIGNS if sign not in APOSTROPHES)
    stems = []
    for chain in plain_chains(text, signs):
        parts = [plain_stem(run, language) for run in chain]
        stem = plain_stem("".join(chain), language)
        is_short = 1 < len(chain) <= 4
        is_of_numbers = all(run.isdecimal() for run in chain)
        has_spaces = not any(map(is_without_spaces, "".join(chain)))
        if is_short and has_spaces and not is_of_numbers and stem not in parts:
            stems.append(stem)
    return stems


def plain_stems(text: str, language: str) -> list[str]:
    words = [plain_stem(word, language) for word in plain_words(text)]
    stems = dict.fromkeys([*words, *plain_joined(text, language)])
    return [stem for stem in stems if stem not in COMMON.get(language, ())][:60]


@pytest.fixture(scope="module")
def reviews(real_data, tables, engine_name):
    """Some reviews in all languages as comments on one product, newest first."""
    comments = real_comments(real_data, PRODUCT, every=EVERY)
    with searching(engine_name):
        load_searched(comments)
        yield sorted(comments, key=lambda one: (one.created_at, one.id), reverse=True)


def ids_found(
    text: str, chosen: CommentFilter, order: CommentOrder, toward: Toward, counts: ProductCounts
) -> list[str]:
    wanted, request, ids = SearchRequest(parse_search(text)), PageRequest(7, toward=toward), []
    while request:
        page = search_comments(PRODUCT, wanted, chosen, request, counts=counts, order=order).page
        back = toward is Toward.PREVIOUS
        ids = [*ids_on(page), *ids] if back else [*ids, *ids_on(page)]
        position = page.previous_position if back else page.next_position
        request = PageRequest(7, position, toward) if position else None
    return ids


def test_stems_are_those_of_a_plain_reading(real_data):
    comments = real_comments(real_data, PRODUCT, every=EVERY)
    differ = [
        one.body
        for one in comments
        if [*indexed_stems(one.title, one.body, one.language)]
        != plain_stems(one.body, one.language)
    ]
    assert differ == []


def test_searches_find_what_a_plain_reading_of_the_file_finds(reviews):
    stems = {one.id: {*plain_stems(one.body, one.language)} for one in reviews}
    counts = ProductCounts(Counter((one.language, one.rating) for one in reviews))
    rng, languages, found_any = Random(3), sorted({one.language for one in reviews}), 0
    for number in range(SEARCHES):
        of = rng.choice(reviews)
        words = plain_words(of.body)
        words = rng.sample(words, min(len(words), 1 + number % 3))
        others = rng.sample(languages, rng.choice((0, 0, 1, 3)))
        chosen = CommentFilter.of(
            [of.language, *others] if number % 5 else (),
            [of.rating, *rng.sample(range(1, 6), 2)] if number % 2 else (),
        )
        expected = []
        for one in reviews:
            asked = {plain_stem(word, one.language) for word in words}
            asked -= {*COMMON.get(one.language, ())}
            is_chosen = one.language in (chosen.languages or languages)
            is_chosen &= one.rating in (chosen.ratings or range(1, 6))
            if is_chosen and asked and asked <= stems[one.id]:
                expected.append(one.id)
        found_any += bool(expected)
        for order in (CommentOrder.NEWEST, CommentOrder.OLDEST):
            wanted = expected if order is CommentOrder.NEWEST else expected[::-1]
            for toward in Toward:
                ids = ids_found(" ".join(words), chosen, order, toward, counts)
                assert ids == wanted, (words, chosen, order, toward)
    assert found_any > SEARCHES / 3


def test_a_comment_written_costs_at_most_20_units_at_the_mean(reviews):
    units = 0.0

    def note(parsed, model, **_):
        consumed = parsed.get("ConsumedCapacity", [])
        for one in consumed if isinstance(consumed, list) else [consumed]:
            is_of_words = one["TableName"] == TABLE and model.name != "Query"
            nonlocal units
            units += one["CapacityUnits"] * is_of_words

    some = [replace(one, product_id="real-written") for one in Random(3).sample(reviews, WRITTEN)]
    events = client().meta.events
    events.register("after-call.dynamodb.*", note)
    try:
        for one in some:
            add_comment(replace(one, id=f"again-{one.id}"[:128]))
    finally:
        events.unregister("after-call.dynamodb.*", note)
    stems = [len(plain_stems(one.body, one.language)) for one in some]
    assert sum(stems) <= units <= 20 * WRITTEN
