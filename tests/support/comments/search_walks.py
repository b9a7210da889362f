"""Searches walked there and back, as people and programs do, by the links that pages have.

On to the end, back from the page where that ended, back from the last page, and back from every
page. What was shown is compared with the comments that a search must find.
"""

import html
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urldefrag

from django.core.cache import cache
from django.test import Client

from comments.lists.listing import list_url
from comments.lists.search_plans import RAREST
from comments.lists.search_queries import SearchRequest
from lab.bench.words import DrawnSearch

MOST_PAGES = 2_000
"""Of one walk: what is longer never ends."""
COLD = 0.5
"""The part of the pages that are asked for when nothing is remembered of product and search."""
SHOWN = re.compile(r'data-comment-id="([^"]+)"')
LINK = re.compile(r'<a\s[^>]*?rel="(next|prev|last)"\s[^>]*?href="([^"]*)"')
ON, BACK = "on", "back"


@dataclass(frozen=True)
class Answer:
    """One page as it was answered, and its addresses; ``total`` is None where none is said."""

    ids: Sequence[str]
    next: str | None
    previous: str | None
    last: str | None
    total: int | None = None


class HtmlReader:
    """Asks for pages as a browser without scripts does."""

    name = "page"

    def first_url(self, drawn: DrawnSearch) -> str:
        return list_url(drawn.product_id, drawn.chosen, drawn.order, SearchRequest(drawn.search))

    def answer(self, body: str) -> Answer:
        links = {rel: urldefrag(html.unescape(url)).url for rel, url in LINK.findall(body)}
        ids = [html.unescape(one) for one in SHOWN.findall(body)]
        return Answer(ids, links.get("next"), links.get("prev"), links.get("last"))


class ApiReader:
    """Asks for pages as a program does."""

    name = "API"

    def first_url(self, drawn: DrawnSearch) -> str:
        return drawn.api_url

    def answer(self, body: str) -> Answer:
        page = json.loads(body)
        ids = [one["id"] for one in page["items"]]
        return Answer(ids, page["next"], page["previous"], page["last"], page["total"])


Reader = HtmlReader | ApiReader
READERS: Sequence[Reader] = (HtmlReader(), ApiReader())


@dataclass
class Tally:
    """What walks came to: pages by what they were, faults by their names, and wrong searches."""

    numbers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Walker:
    """Walks through searches by one reader and adds to a tally."""

    def __init__(self, reader: Reader, tally: Tally, client: Client, *, size: int) -> None:
        self._reader = reader
        self._tally = tally
        self._client = client
        self._size = size
        self._random = Random(2)

    def walk(self, drawn: DrawnSearch, *, from_each: bool) -> None:
        """Walk through all pages on and back; ``from_each`` is whether back from each page."""
        expected = drawn.expected
        pages = self._follow(self._reader.first_url(drawn), ON)
        faults = faults_of(expected, [one for page in pages for one in page.ids], ON)
        faults[f"endless {ON}"] += pages[-1].next is not None
        totals = {page.total for page in pages} - {None, len(expected)}
        faults["wrong totals"] += bool(totals)
        # Back from where the walk ended, and from the last page, of which the first one knows.
        faults += self._back(expected, pages[-1].previous, [*pages[-1].ids])
        if pages[0].last:
            faults += self._back(expected, pages[0].last, [])
        if from_each:
            in_front: list[str] = []
            for page in pages:
                faults += self._back(in_front, page.previous, [])
                in_front += page.ids
        self._tally.numbers += faults
        if +faults:
            self._tally.wrong.append(f"{drawn}: {dict(+faults)}")

    def _back(self, expected: Sequence[str], url: str | None, shown: list[str]) -> Counter[str]:
        pages = self._follow(url, BACK) if url else []
        for page in pages:
            new = list(page.ids)
            if page.previous is None:  # the first page, which is always shown whole
                known = {*shown, *({*page.ids} - {*expected})}
                new = [one for one in page.ids if one not in known]
            shown = [*new, *shown]
        faults = faults_of(expected, shown, BACK)
        faults[f"endless {BACK}"] += bool(pages) and pages[-1].previous is not None
        return faults

    def _follow(self, url: str | None, way: str) -> list[Answer]:
        pages: list[Answer] = []
        while url and len(pages) < MOST_PAGES:
            page = self._ask(url)
            pages.append(page)
            url = page.next if way == ON else page.previous
            self._tally.numbers["empty"] += not page.ids
            self._tally.numbers["short"] += bool(url) and len(page.ids) < self._size
        return pages

    def _ask(self, url: str) -> Answer:
        if self._random.random() < COLD:
            cache.clear()
            RAREST.forget_all()
        response = self._client.get(url, follow=True)
        assert response.status_code == 200, url
        return self._reader.answer(response.content.decode())


def faults_of(expected: Sequence[str], shown: Sequence[str], way: str) -> Counter[str]:
    """What is wrong with comments that were shown, by names with the way of a walk."""
    faults = Counter(
        {
            f"missing {way}": len({*expected} - {*shown}),
            f"twice {way}": len(shown) - len({*shown}),
            f"extra {way}": len({*shown} - {*expected}),
        }
    )
    if not +faults:
        faults[f"order {way}"] += [*shown] != [*expected]
    return faults
