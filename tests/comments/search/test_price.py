"""A page of a search costs 12.5 units at most, all that it reads included: see docs/search.md.

That holds without unfinished changes, for visitors without an account, whatever comments say and
whoever asks for what. Every request is metered on a real engine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import product
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.data.values import LONGEST_ID
from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment
from comments.lists import search_queries
from comments.lists.listing import list_url, pager_of
from comments.lists.orders import CommentOrder
from comments.lists.page import CommentsRequest, read_comments_page
from comments.lists.search_queries import SearchRequest
from comments.search.words import MOST_WORDS, parse_search
from comments.store.counts import ProductCounts, remember_counts
from dynapages.calls import metered
from dynapages.django.paging import END, tokens
from dynapages.lists import HIGHEST, Ordinal, PageRequest, Position, Toward, sort_key_of
from dynapages.ninja.lists import LARGEST_PAGE
from tests.support.chance import CHANCE, examples, unique
from tests.support.comments.browsing import shown
from tests.support.comments.hostile_texts import (
    LONG_LETTER,
    MIXED,
    SCRIPTS,
    as_forms_bring_it,
    as_imports_bring_it,
    hostile,
    word,
)
from tests.support.comments.options import comments_set
from tests.support.comments.searched import put_postings, searching
from tests.support.comments.truth import START

pytestmark = pytest.mark.real_engine

MOST_UNITS = 12.5
LANGUAGES = (
    *("is", "fo", "kl", "se", "gd", "cy", "br", "kw", "mt", "sq"),
    *("lv", "mk", "bs", "ka", "az", "kk", "uz", "ky", "tg", "tk"),
)
"""Without an algorithm or common words, so that words are their own stems there."""
OFTEN = tuple(word("Latin", number)[:12] for number in range(MOST_WORDS))
"""Words of which each comment has all but one."""
SELDOM = tuple(word("Latin", number)[:14] for number in range(20, 20 + MOST_WORDS))
"""Words of which each comment has one."""
STEPS = 2
"""Links that are followed from each page."""


@dataclass(frozen=True)
class Asked:
    """A page of a search: of which list, where it begins, and what is remembered of the product."""

    product_id: str
    text: str
    chosen: CommentFilter
    order: CommentOrder
    start: dict[str, str]
    memory: str

    @property
    def search(self) -> SearchRequest:
        return SearchRequest(parse_search(self.text))

    @property
    def page_url(self) -> str:
        first = list_url(self.product_id, self.chosen, self.order, self.search)
        return f"{first}&{urlencode(self.start)}" if self.start else first

    def api_url(self, limit: int) -> str:
        query: list[tuple[str, object]] = [("q", self.text), ("order", self.order.value)]
        query.append(("limit", limit))
        query += [("language", one) for one in self.chosen.languages]
        query += [("rating", one) for one in self.chosen.ratings]
        for side, token in self.start.items():
            query.append(("cursor", END if token == END else f"{side}.{token}"))
        return f"/api/v1/products/{self.product_id}/comments?{urlencode(query)}"


def remember(asked: Asked) -> None:
    """Have the counts be remembered as the case wants it: not at all, or without most languages."""
    if asked.memory == "cold":
        cache.clear()
    if asked.memory == "stale":
        remember_counts(asked.product_id, ProductCounts({(LANGUAGES[0], 5): 9}))


def prices_of_pages(asked: Asked) -> Iterator[tuple[str, float]]:
    """What a page costs, and those behind its links."""
    browser = Client()
    for way in ("next", "previous"):
        url: str | None = asked.page_url
        for _ in range(1 + STEPS):
            if not url:
                break
            remember(asked)
            with metered() as meter:
                answer = browser.get(url)
            yield url, meter.units
            if answer.status_code == 302:
                url = answer["Location"]
                continue
            assert answer.status_code == 200, url
            url = getattr(shown(answer), way)


def prices_of_api(asked: Asked, *, limit: int = 20) -> Iterator[tuple[str, float]]:
    """The same by the API, where pages may be larger."""
    program = Client()
    for way in ("next", "previous"):
        url: str | None = asked.api_url(limit)
        for _ in range(1 + STEPS):
            if not url:
                break
            remember(asked)
            with metered() as meter:
                answer = program.get(url)
            yield url, meter.units
            assert answer.status_code == 200, answer.content
            url = answer.json()[way]


def prices_with_hidden(asked: Asked) -> Iterator[tuple[str, float]]:
    """What the page costs that staff read with hidden comments, without what is read of them."""
    pager = pager_of(asked.product_id, asked.chosen, asked.order, asked.search)
    for toward in Toward:
        request = PageRequest(20, toward=toward)
        for _ in range(1 + STEPS):
            remember(asked)
            wanted = CommentsRequest(
                asked.chosen,
                request,
                product_id=asked.product_id,
                order=asked.order,
                is_whole=False,
                search=replace(asked.search, with_hidden=True),
            )
            with metered() as meter:
                page = read_comments_page(wanted).results.page
            yield f"with hidden {pager.url_of(request)}", meter.units
            back = toward is Toward.PREVIOUS
            position = page.previous_position if back else page.next_position
            if position is None:
                break
            request = PageRequest(20, position, toward)


FORMS = {
    "page": prices_of_pages,
    "API": prices_of_api,
    "largest page of the API": partial(prices_of_api, limit=LARGEST_PAGE),
    "with hidden": prices_with_hidden,
}


def prices(asked: Asked) -> dict[str, float]:
    """The price of each request, by what was asked for."""
    chosen, start = asked.chosen, ", ".join(asked.start) or "first"
    filters = f"{chosen.languages_in_url}/{chosen.ratings_in_url}"
    found = {}
    for form, ask in FORMS.items():
        for number, (url, units) in enumerate(ask(asked)):
            what = f"{form} {number} from {start}, {asked.order.value}, {filters}, {asked.memory}"
            found[f"{what}, {asked.text}: {url}"] = units
    return found


def dearest(found: dict[str, float]) -> tuple[float, str]:
    return max((units, url) for url, units in found.items())


def dear_comments(product_id: str, languages: Sequence[str], number: int) -> list[NewComment]:
    """Comments with the largest postings, in languages by turns.

    Each has all of `OFTEN` but one, and one of `SELDOM`: all eight are never together.
    """
    largest = as_imports_bring_it(hostile(product_id, MIXED))
    rest = " ".join(word(MIXED, n) for n in range(100, 160))
    comments = []
    for at in range(number):
        often = [one for rank, one in enumerate(OFTEN) if rank != at % len(OFTEN)]
        comment = replace(
            largest,
            id=f"{at:06}".ljust(LONGEST_ID, LONG_LETTER),
            product_id=product_id,
            language=languages[at % len(languages)],
            rating=at // len(languages) % 5 + 1,
            created_at=START - timedelta(minutes=at),
            title=" ".join([*often, SELDOM[at % len(SELDOM)]]),
            body=rest,
        )
        comments.append(comment)
    return comments


PRODUCTS = {
    "one language": (1, 240),
    "eight languages": (8, 240),
    "sixteen languages": (16, 240),
    "twenty languages": (20, 300),
}
TEXTS = {
    "one word": OFTEN[0],
    "two that meet often": " ".join(OFTEN[:2]),
    "two that never meet": " ".join(SELDOM[:2]),
    "an often and a seldom one": f"{OFTEN[0]} {SELDOM[1]}",
    "eight that never meet": " ".join(OFTEN),
    "one that nobody wrote": "zzzz",
}
STARTS: tuple[dict[str, str], ...] = ({}, {"before": END}, {"after": ""}, {"before": ""})
"""The first page, the last one, and those of any token."""
MEMORIES = ("cold", "warm", "stale")
TIMES = (CommentOrder.NEWEST, CommentOrder.OLDEST)


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


@pytest.fixture(scope="module")
def products(search):
    """Products by how many languages they have; every ninth comment is hidden."""
    made = {}
    for name, (languages, number) in PRODUCTS.items():
        made[name] = unique("dear").ljust(LONGEST_ID, "p")
        put_postings(
            dear_comments(made[name], LANGUAGES[:languages], number),
            [*OFTEN, *SELDOM],
            hidden_every=9,
        )
    return made


@pytest.fixture(params=["marks at once", "marks late", "two versions of stems"])
def circumstances(request, monkeypatch):
    """What makes a search read more: marks that are answered late, or a table that is filled."""
    if request.param == "marks late":
        monkeypatch.setattr(search_queries, "MARKS_SECONDS", -1)
    with comments_set(SEARCH=True, SEARCH_OLDER=request.param == "two versions of stems"):
        yield


def token(product_id: str, chosen: CommentFilter, order: CommentOrder, text: str, at: str) -> str:
    """What a link to any place of a list holds."""
    pager = pager_of(product_id, chosen, order, SearchRequest(parse_search(text)))
    return tokens().write(Position(at, ordinal=Ordinal(7)), list_name=pager.list_name)


def place_at(minutes: int) -> str:
    return sort_key_of(START - timedelta(minutes=minutes), "x")


def cases(product_id: str, text: str, languages: Sequence[str], *, number: int) -> Iterator[Asked]:
    """So many pages of a search, drawn from all there are."""
    filters = [
        CommentFilter.of(some, ratings)
        for some, ratings in product((languages[:0], languages[:1], languages[:8]), ((), (2, 4)))
    ]
    every = list(product(filters, TIMES, STARTS, MEMORIES))
    for chosen, order, start, memory in CHANCE.sample(every, number):
        at = place_at(CHANCE.randint(0, 500))
        place = CHANCE.choice([at, at, f"g{CHANCE.choice(('000', '001', '998', '999'))}/{at}"])
        filled = {
            side: value or token(product_id, chosen, order, text, place)
            for side, value in start.items()
        }
        yield Asked(product_id, text, chosen, order, filled, memory)


class TestAPageOfASearch:
    @pytest.mark.parametrize("name", PRODUCTS)
    @pytest.mark.parametrize("kind", TEXTS)
    @pytest.mark.usefixtures("circumstances")
    def test_costs_what_is_promised_of_the_dearest_comments(self, products, name, kind):
        languages = LANGUAGES[: PRODUCTS[name][0]]
        found: dict[str, float] = {}
        for asked in cases(products[name], TEXTS[kind], languages, number=examples(16)):
            found |= prices(asked)
        assert dearest(found)[0] <= MOST_UNITS, dearest(found)

    @pytest.mark.parametrize("languages", [1, 20])
    @pytest.mark.parametrize("order", TIMES)
    def test_costs_that_at_most_from_end_to_end(self, products, languages, order):
        name = "one language" if languages == 1 else "twenty languages"
        text = TEXTS["eight that never meet"]
        asked = Asked(products[name], text, CommentFilter(), order, {}, "warm")
        url, back, prices_paid = asked.page_url, asked.page_url, []
        while url:
            with metered() as meter:
                page = shown(Client().get(url))
            prices_paid.append(meter.units)
            back, url = url, page.next
        while back:
            with metered() as meter:
                answer = Client().get(back)
            prices_paid.append(meter.units)
            back = answer["Location"] if answer.status_code == 302 else shown(answer).previous
        assert len(prices_paid) >= 4
        assert MOST_UNITS - 2 < max(prices_paid) <= MOST_UNITS


WRITTEN = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
KINDS = st.lists(
    st.tuples(
        st.sets(st.sampled_from(OFTEN)),
        st.sampled_from([*SCRIPTS, MIXED]),
        WRITTEN,
        st.sampled_from([as_forms_bring_it, as_imports_bring_it]),
    ),
    min_size=1,
    max_size=4,
)
"""Of comments: the words that are searched for, a script and more of a text, and how it came."""


def comments_of_kinds(
    product_id: str, kinds: Sequence[tuple], languages: Sequence[str], number: int
) -> list[NewComment]:
    largest = [brought(hostile(product_id, script)) for _, script, _, brought in kinds]
    comments = []
    for at in range(number):
        words, script, written, _brought = kinds[at % len(kinds)]
        body = " ".join(word(script, n) for n in range(100, 140))
        comment = replace(
            largest[at % len(kinds)],
            id=f"{at:06}",
            product_id=product_id,
            language=languages[at * 7 // 5 % len(languages)],
            rating=RATINGS[at % 5],
            created_at=START - timedelta(minutes=at // 2),
            title=f"{' '.join(sorted(words))} {written}",
            body=body,
        )
        comments.append(comment)
    return comments


class TestAnyPageOfAnySearch:
    @settings(max_examples=examples(60))
    @given(
        kinds=KINDS,
        languages=st.integers(1, 20),
        number=st.integers(1, 160),
        words=st.lists(st.sampled_from(OFTEN), min_size=1, max_size=MOST_WORDS, unique=True),
        chosen_languages=st.sets(st.sampled_from(LANGUAGES), max_size=8),
        ratings=st.sets(st.sampled_from(RATINGS)),
        order=st.sampled_from(TIMES),
        memory=st.sampled_from(MEMORIES),
        start=st.sampled_from(STARTS),
        place=st.integers(0, 90).map(place_at) | st.sampled_from(["", HIGHEST, "g000/", "g999/~"]),
        is_late=st.booleans(),
    )
    def test_costs_what_is_promised(
        self,
        kinds,
        languages,
        number,
        words,
        chosen_languages,
        ratings,
        order,
        memory,
        start,
        place,
        is_late,
    ):
        product_id = unique("any")
        comments = comments_of_kinds(product_id, kinds, LANGUAGES[:languages], number)
        put_postings(comments, OFTEN)
        chosen, text = CommentFilter.of(chosen_languages, ratings), " ".join(words)
        filled = {
            side: value or token(product_id, chosen, order, text, place)
            for side, value in start.items()
        }
        asked = Asked(product_id, text, chosen, order, filled, memory)
        with pytest.MonkeyPatch.context() as patch:
            if is_late:
                patch.setattr(search_queries, "MARKS_SECONDS", -1)
            found = prices(asked)
        assert dearest(found)[0] <= MOST_UNITS, dearest(found)
