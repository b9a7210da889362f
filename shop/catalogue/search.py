"""Products by the beginnings of the words of their names.

One word of a search leads: its run is read, in the order of the words that begin like it, then of
names. The others are a filter on the words that each item of the run has. A product of which
several words begin like the leading one is shown by the first of them alone.

The rarest is to lead: each is tried by a read, unless an earlier page was led by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from dynapages.django.refusals import Refusal
from dynapages.lists import Order, PageRequest, PageResult, QuerySource, Run, read_page
from dynapages.process import client, pool
from shop import keys
from shop.catalogue.items import BELOW, JOINT, cut, words_in
from shop.catalogue.queries import ProductTile, tile_of
from shop.models import ProductWord
from shop.table import BY_KEY

LONGEST_SEARCH = 200
"""Characters."""
MOST_TYPED = 8
"""Words of a search."""
MOST_UNITS = 12.0
"""Of a page: one that is not full by then is short, and the next one goes on."""
ITEM_BYTES = 300
"""That an item by a word is taken to have."""
FILTERED = 60
"""Items that a page of several words reads first, if it may."""
TRIAL_UNITS = 1.0
"""Of each word of several, to find the rarest one."""
SUGGESTED = PageRequest(8, most_units=4.0)
"""What is read of a search while it is being typed."""


def parse_search(text: str) -> tuple[str, ...]:
    """Return the different words of a search, maybe none. Raises Refusal."""
    words = tuple(dict.fromkeys(map(cut, words_in(text))))
    if len(text) > LONGEST_SEARCH:
        raise Refusal(_("A search has at most %(most)s characters.") % {"most": LONGEST_SEARCH})
    if len(words) > MOST_TYPED:
        raise Refusal(_("A search has at most %(most)s words.") % {"most": MOST_TYPED})
    return words


@dataclass(frozen=True, slots=True)
class FoundProducts(PageResult[ProductTile]):
    """A page of the products of a search, and the word that leads."""

    leading: str


def find_products(
    words: Sequence[str], request: PageRequest, *, leading: str = ""
) -> FoundProducts:
    """Read a page of the products whose names have a word that begins like each of ``words``.

    ``leading`` is the word that led on another page. A word of a single letter leads only where all
    are such, and then stands for itself alone. Without words nothing is read.
    """
    tried = [word for word in words if len(word) >= keys.WORD_LETTERS] or [*words[:1], ""][:1]
    left = min(request.most_units, MOST_UNITS)
    if leading in tried:
        tried = [leading]
    if len(tried) == 1:
        return _read(tried[0], words, request, left)
    found = pool().gather([partial(_read, each, words, request, TRIAL_UNITS) for each in tried])
    best = max(found, key=lambda one: (one.page.cut_at is None, len(one.items)))
    left -= sum(one.page.capacity_units for one in found)
    if best.page.cut_at and left > 0:
        best = _read(best.leading, words, request, left)
    tries = [read for one in found if one is not best for read in one.page.reads]
    reads = *best.page.reads, *(replace(read, items_returned=0) for read in tries)
    allowed = min(request.most_units, MOST_UNITS)
    return replace(best, page=replace(best.page, reads=reads, most_units=allowed))


def _read(
    leading: str, words: Sequence[str], request: PageRequest, most_units: float
) -> FoundProducts:
    prefix = leading if len(leading) >= keys.WORD_LETTERS else leading + BELOW
    runs = [Run(index=BY_KEY, partition=keys.words(leading), prefix=prefix)] if leading else []
    page = read_page(
        runs,
        replace(request, most_units=most_units, largest_item=ITEM_BYTES),
        source=QuerySource(client(), query=_filter(leading, words)),
        pool=pool(),
        order=Order.OLDEST_FIRST,
        first_reads=[FILTERED if len(words) > 1 else int(request.size * 1.5)] * len(runs),
    )
    return FoundProducts(tuple(tile_of(entry.item) for entry in page.entries), page, leading)


def _filter(leading: str, words: Sequence[str]) -> dict[str, Any]:
    terms = ["NOT begins_with(#before, :leading)"]
    names = {"#before": ProductWord.before.attr_name}
    values = {":leading": {"S": leading}}
    for number, word in enumerate(word for word in words if word != leading):
        names["#words"] = ProductWord.words.attr_name
        values[f":word{number}"] = {"S": f"{JOINT}{word}"}
        terms.append(f"contains(#words, :word{number})")
    return {
        "FilterExpression": " AND ".join(terms),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
