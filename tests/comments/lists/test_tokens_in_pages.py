"""A page link that was tampered with: refused before anything is read, with a way back.

Which ones are refused is told by the tests of tokens.
"""

from urllib.parse import urlencode

import pytest

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from dynapages.calls import metered
from dynapages.django.paging import tokens
from dynapages.lists import Ordinal, Position, sort_key_of
from tests.support.comments.browsing import HTMX, visit
from tests.support.comments.spying import spied
from tests.support.comments.truth import START

URL = "/products/lamp/comments/de.en/1.2/"
POSITION = Position(sort_key_of(START, "c" * 90), ordinal=Ordinal(20))


def token_of(product_id: str, *chosen: list) -> str:
    list_name = pager_of(product_id, CommentFilter.of(*chosen)).list_name
    return tokens().write(POSITION, list_name=list_name)


GENUINE = token_of("lamp", ["de", "en"], [1, 2])
QUERIES = [
    *(urlencode({"after": token}) for token in (GENUINE[:-1], f"{GENUINE} ", "x" * 60_000, "\0")),
    *(urlencode({"before": token_of("lamp", *chosen)}) for chosen in ([], [["de"], [1, 2]])),
    urlencode({"after": token_of("lamp2", ["de", "en"], [1, 2])}),
    *("after=&before=", "after=x&before=y", "before=&after", "after", "before="),
    *("after=%ff", "after=%ed%a0%80", "before=%00", "after=%", "after=%F0%9F%A6%8A"),
]


@pytest.mark.usefixtures("tables")
class TestTokens:
    @pytest.mark.parametrize("headers", [{}, HTMX])
    @pytest.mark.parametrize("query", QUERIES, ids=lambda query: query[:20])
    def test_that_are_not_this_lists_are_refused_before_any_read(self, query, headers):
        with metered() as meter, spied() as asked:
            shown = visit(f"{URL}?{query}", **headers)
        assert shown.status == 400
        assert [a["href"] for a in shown.page.all("a") if a["href"] == URL]
        assert (meter.log, asked) == ([], [])

    def test_are_refused_on_a_products_own_page_before_its_list_is_read(self):
        with metered() as meter:
            shown = visit("/products/lamp/?" + urlencode({"after": GENUINE}))
        assert shown.status == 400
        assert meter.labelled("list") == []
