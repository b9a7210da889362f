"""Products by the beginnings of the words of their names.

The longest word of a search leads: its run is read, in the order of the words that begin like it,
then of names. All others are a filter on the words that each item of the run has. A product of
which several words begin like the longest one is shown by the first of them alone.
"""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from dynapages.django.paging import Pager, address_of
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
"""Of a page: one with fewer products by then is short, and the next one goes on."""
ITEM_BYTES = 300
"""That a product by a word is taken to have."""
SUGGESTED = 8
SUGGESTED_UNITS = 2.0


class BadSearch(ValueError):
    """A search is too long; the text says so to visitors."""


@dataclass(frozen=True, slots=True)
class Search:
    """What was typed, its blanks collapsed, and the words in it."""

    text: str
    words: tuple[str, ...]

    @property
    def pager(self) -> Pager:
        """The pages of what it finds."""
        url = f"{address_of('search')}?{urlencode({'q': self.text})}"
        return Pager(url, f"search/{JOINT.join(self.words)}", shape={"words": len(self.words)})


def parse_search(typed: str) -> Search:
    """Parse what was typed; there may be no word in it. Raises BadSearch."""
    text = " ".join(typed.split())
    words = tuple(dict.fromkeys(map(cut, words_in(text))))
    if len(text) > LONGEST_SEARCH:
        sentence = _("A search has at most %(most)s characters.")
        raise BadSearch(sentence % {"most": LONGEST_SEARCH})
    if len(words) > MOST_TYPED:
        raise BadSearch(_("A search has at most %(most)s words.") % {"most": MOST_TYPED})
    return Search(text, words)


def find_products(search: Search, request: PageRequest) -> PageResult[ProductTile]:
    """Read a page of the products whose names have words that begin like those of a search.

    If the longest word has one letter, it stands for itself alone. Nothing is read without a word.
    """
    leading = max(search.words, key=len, default="")
    others = [word for word in search.words if word != leading]
    prefix = leading if len(leading) >= keys.WORD_LETTERS else leading + BELOW
    runs = [Run(index=BY_KEY, partition=keys.words(leading), prefix=prefix)] if leading else []
    page = read_page(
        runs,
        replace(request, largest_item=ITEM_BYTES),
        source=QuerySource(client(), query=_filter(leading, others)),
        pool=pool(),
        order=Order.OLDEST_FIRST,
        first_reads=[request.size + request.size // 2] * len(runs),  # some are filtered out
    )
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


def suggest_products(search: Search) -> tuple[ProductTile, ...]:
    """Return the first products that a search finds, by one Query or two."""
    return find_products(search, PageRequest(SUGGESTED, most_units=SUGGESTED_UNITS)).items


def _filter(leading: str, others: list[str]) -> dict[str, Any]:
    terms = ["NOT begins_with(#before, :leading)"]
    names = {"#before": ProductWord.before.attr_name}
    values = {":leading": {"S": leading}}
    for number, word in enumerate(others):
        names["#words"] = ProductWord.words.attr_name
        values[f":word{number}"] = {"S": f"{JOINT}{word}"}
        terms.append(f"contains(#words, :word{number})")
    return {
        "FilterExpression": " AND ".join(terms),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
