"""Products by the beginnings of the words of their names.

One word of a search leads: its run is read, in the order of the words that begin like it, then of
names. The others are a filter on the words that each item of the run has. A product of which
several words begin like the leading one is shown by the first of them alone.

The rarest is to lead: each is tried by a read, unless an earlier page was led by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from dynapages.django.refusals import Refusal
from dynapages.lists import Order, PageRequest, PageResult, QuerySource, Run, read_page
from dynapages.process import client, pool
from shop import keys
from shop.catalogue.names import PARENT_JOINT, WORD_JOINT, cut_name, words_in
from shop.catalogue.tiles import ProductTile, tile_of
from shop.models import ProductWord
from shop.table import BY_KEY

LONGEST_SEARCH = 200
"""Characters."""
MOST_SEARCH_WORDS = 8
MOST_UNITS = 12.0
"""Of a page: one that is not full by then is short, and the next one goes on."""
ITEM_BYTES = 300
"""That an item by a word is taken to have."""
FIRST_READ_FILTERED = 60
"""Items that a page of several words reads first, if it may."""
FIRST_READ_OF_ONE_WORD = 1.5
"""The same of one word, for each product of a page: some are left out, as another word led."""
TRIAL_UNITS = 1.0
"""Of each word of several, to find the rarest one."""
SUGGESTED = PageRequest(8, most_units=4.0)
"""What is read of a search while it is being typed."""


@dataclass(frozen=True, slots=True)
class ProductSearchResult(PageResult[ProductTile]):
    """A page of the products of a search, and the word that leads."""

    leading: str


def parse_search(text: str) -> tuple[str, ...]:
    """Return the different words of a search, maybe none. Raises Refusal."""
    words = dict.fromkeys(cut_name(word) for word in words_in(text))
    if len(text) > LONGEST_SEARCH:
        raise Refusal(_("A search has at most %(most)s characters.") % {"most": LONGEST_SEARCH})
    if len(words) > MOST_SEARCH_WORDS:
        raise Refusal(_("A search has at most %(most)s words.") % {"most": MOST_SEARCH_WORDS})
    return tuple(words)


def words_that_may_lead(words: Sequence[str]) -> list[str]:
    """Return the words of several letters, else the first word, or "" without words."""
    long_words = [word for word in words if len(word) >= keys.WORD_LETTERS]
    if long_words:
        return long_words
    return [words[0] if words else ""]


def find_products(
    words: Sequence[str], request: PageRequest, *, leading: str = ""
) -> ProductSearchResult:
    """Read a page of the products whose names have a word that begins like each of ``words``.

    ``leading`` is the word that led on another page. A word of a single letter leads only where all
    are such, and then stands for itself alone. Without words nothing is read.
    """
    # Tokens of later pages are bound to the word that led on the first one.
    candidates = words_that_may_lead(words)
    if leading in candidates:
        candidates = [leading]
    most_units = min(request.most_units, MOST_UNITS)
    if len(candidates) == 1:
        return _read(candidates[0], words, request, most_units)

    def read_a_little(word: str) -> ProductSearchResult:
        return _read(word, words, request, TRIAL_UNITS)

    trials = pool().map(read_a_little, candidates)
    # The rarest word is the one whose run was read to its end.
    best = max(trials, key=_rarity)
    units_left = most_units - sum(trial.page.capacity_units for trial in trials)
    # A trial that was cut short shows too few: go on from the start with what is left to spend.
    if best.page.cut_at and units_left > 0:
        best = _read(best.leading, words, request, units_left)
    reads = [*best.page.reads]
    for trial in trials:
        if trial is not best:
            reads += [replace(read, items_returned=0) for read in trial.page.reads]
    page = replace(best.page, reads=tuple(reads), most_units=most_units)
    return replace(best, page=page)


def _rarity(trial: ProductSearchResult) -> tuple[bool, int]:
    """Return what is greatest for the trial that was read to its end, or shows most products."""
    return trial.page.cut_at is None, len(trial.items)


def _read(
    leading: str, words: Sequence[str], request: PageRequest, most_units: float
) -> ProductSearchResult:
    """Read a page of the run of the leading word, filtered by the others."""
    prefix = leading
    if len(leading) < keys.WORD_LETTERS:
        prefix += PARENT_JOINT  # ends the word
    runs = []
    if leading:
        runs.append(Run(index=BY_KEY, partition=keys.words(leading), prefix=prefix))
    if len(words) > 1:
        first_read = FIRST_READ_FILTERED
    else:
        first_read = int(request.size * FIRST_READ_OF_ONE_WORD)
    page = read_page(
        runs,
        replace(request, most_units=most_units, largest_item=ITEM_BYTES),
        source=QuerySource(client(), query=_filter(leading, words)),
        pool=pool(),
        order=Order.OLDEST_FIRST,
        first_reads=[first_read for _run in runs],
    )
    tiles = tuple(tile_of(entry.item) for entry in page.entries)
    return ProductSearchResult(tiles, page, leading)


def _filter(leading: str, words: Sequence[str]) -> dict[str, Any]:
    """Build the filter of a Query: products that have all words, by the first that leads."""
    # A product with two words that begin alike would be shown twice.
    terms = ["NOT begins_with(#before, :leading)"]
    names = {"#before": ProductWord.before.attr_name}
    values = {":leading": {"S": leading}}
    others = [word for word in words if word != leading]
    for number, word in enumerate(others):
        names["#words"] = ProductWord.words.attr_name
        values[f":word{number}"] = {"S": f"{WORD_JOINT}{word}"}
        terms.append(f"contains(#words, :word{number})")
    return {
        "FilterExpression": " AND ".join(terms),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
