"""Products by the beginnings of the words of their names.

The longest word of a search leads: its run is read, in the order of the words that begin like it,
then of names. All others are a filter on the words that each item of the run has. A product of
which several words begin like the longest one is shown by the first of them alone.
"""

from collections.abc import Sequence
from dataclasses import replace
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
SUGGESTED = PageRequest(8, most_units=2.0)
"""What is read of a search while it is being typed."""


def parse_search(text: str) -> tuple[str, ...]:
    """Return the different words of a search, maybe none. Raises Refusal."""
    words = tuple(dict.fromkeys(map(cut, words_in(text))))
    if len(text) > LONGEST_SEARCH:
        raise Refusal(_("A search has at most %(most)s characters.") % {"most": LONGEST_SEARCH})
    if len(words) > MOST_TYPED:
        raise Refusal(_("A search has at most %(most)s words.") % {"most": MOST_TYPED})
    return words


def find_products(words: Sequence[str], request: PageRequest) -> PageResult[ProductTile]:
    """Read a page of the products whose names have a word that begins like each of ``words``.

    If the longest one has a single letter, it stands for itself alone. Without any nothing is read.
    """
    leading = max(words, key=len, default="")
    prefix = leading if len(leading) >= keys.WORD_LETTERS else leading + BELOW
    runs = [Run(index=BY_KEY, partition=keys.words(leading), prefix=prefix)] if leading else []
    most = min(request.most_units, MOST_UNITS)
    page = read_page(
        runs,
        replace(request, most_units=most, largest_item=ITEM_BYTES),
        source=QuerySource(client(), query=_filter(leading, words)),
        pool=pool(),
        order=Order.OLDEST_FIRST,
        first_reads=[request.size + request.size // 2] * len(runs),  # some are filtered out
    )
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


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
