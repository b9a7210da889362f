"""Random searches, walked there and back as people and programs do, and what each page costs.

The reviews are comments on one product. A search has one to three words of a random comment, so
that frequent words are drawn often. It is made in no chosen language, in the comment's own or in
this one and others, for all ratings or for some, newest or oldest first. Its pages are asked for as
HTML and by the API, by the links that each of them has: on to the end, back from the page where
that ended, and back from the last page. What was shown is compared with the comments themselves.

Small walks have few comments on a page, and go back from every page. Where a product has more
languages than one page reads, searches are made in all of them: those with the most comments come
first, group by group.
"""

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from random import Random
from statistics import fmean
from typing import Any
from urllib.parse import urldefrag, urlencode
from zlib import crc32

from django.conf import settings
from django.core.cache import cache
from django.test import Client, override_settings

from comments.filters import MOST_LANGUAGES, RATINGS, CommentFilter
from comments.items import NewComment
from comments.lists.listing import list_url
from comments.lists.orders import CommentOrder
from comments.lists.search_plans import RAREST, SearchPlan
from comments.lists.search_queries import MOST_UNITS, SearchRequest
from comments.models import TABLE, Comment
from comments.search.words import BadSearch, Search, indexed_stems, parse_search
from comments.store.counts import Cell, ProductCounts
from dynapages.calls import UNLABELLED, Meter, metered
from dynapages.django.options import Advance, Progress
from dynapages.process import client
from dynapages.tables import create_missing
from lab.bench.context import HOST, PageFailed, Stores, open_context, require_binary
from lab.bench.data import PRODUCT_ID, counts_item
from lab.bench.pages import create_catalogue
from lab.bench.words import MADE, WordData, real_reviews
from lab.reports.results import Results, Row, Value, percentile_95, rows
from lab.reports.tables import Section, section

PART = "searches"
SEARCHES = 500
ONE_OF_SMALL = 10
"""So many searches for each one that is walked in small pages, and for each in many languages."""
SMALL = 3
MOST_HITS_OF_SMALL = 20
MOST_PAGES = 2_000
"""Of one walk: what is longer never ends."""
COLD = 0.5
"""The part of the pages that are asked for when nothing is remembered of product and search."""
MARKS = "unfinished changes"
"""Label of the Query of marks, which is part of what a search costs."""
OTHER_LANGUAGES = ("cs", "el", "fi", "fr", "hu", "ja", "ko", "lt", "no", "pl", "ro", "sv", "tr")
ONE_IN_OTHER = 60
"""Of so many comments each of the other languages gets one, where there are to be many."""
SHOWN_WRONG = 20
"""Wrong searches that the figures name."""
SHOWN = re.compile(r'data-comment-id="([^"]+)"')
LINK = re.compile(r'<a\s[^>]*?rel="(next|prev|last)"\s[^>]*?href="([^"]*)"')
API_PATH = "/api/v1"
FIGURES = ("list_units", "list_rounds", "page_units", "page_rounds")


@dataclass(frozen=True, slots=True)
class ReviewData(WordData):
    """Each ``every``-th of the reviews."""

    every: int = 1

    @property
    def name(self) -> str:
        whole: str = WordData.name.fget(self)  # type: ignore[attr-defined] # a property
        return whole if self.every == 1 else f"{whole}-{self.every}"

    def comments(self) -> Iterator[NewComment]:
        for number, comment in enumerate(WordData.comments(self)):
            if number % self.every == 0:
                yield comment


@dataclass(frozen=True, slots=True)
class ManyLanguages(ReviewData):
    """The same, of which some are in a dozen languages more."""

    @property
    def name(self) -> str:
        whole: str = ReviewData.name.fget(self)  # type: ignore[attr-defined] # a property
        return f"many-languages-{whole}"

    def comments(self) -> Iterator[NewComment]:
        for comment in ReviewData.comments(self):
            at = crc32(comment.id.encode()) % ONE_IN_OTHER
            is_other = at < len(OTHER_LANGUAGES)
            yield replace(comment, language=OTHER_LANGUAGES[at]) if is_other else comment


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a comment without the site: all that decides whether a search finds it."""

    id: str
    language: str
    rating: int
    text: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class DrawnSearch:
    """A search, and the ids of the comments that it must find, in its order."""

    search: Search
    chosen: CommentFilter
    order: CommentOrder
    expected: Sequence[str]
    product_id: str = PRODUCT_ID

    def __str__(self) -> str:
        found = f"{len(self.expected)} comments"
        where = f"{self.chosen.languages_in_url}/{self.chosen.ratings_in_url}"
        return f"“{self.search.text}” in {where}, {self.order.value} first: {found}"


@dataclass(frozen=True, slots=True)
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
        wanted = SearchRequest(drawn.search)
        return list_url(drawn.product_id, drawn.chosen, drawn.order, wanted)

    def answer(self, body: str) -> Answer:
        links = {rel: urldefrag(html.unescape(url)).url for rel, url in LINK.findall(body)}
        ids = [html.unescape(one) for one in SHOWN.findall(body)]
        return Answer(ids, links.get("next"), links.get("prev"), links.get("last"))


class ApiReader:
    """Asks for pages as a program does."""

    name = "API"

    def first_url(self, drawn: DrawnSearch) -> str:
        query: list[tuple[str, object]] = [("q", drawn.search.text), ("order", drawn.order.value)]
        query += [("language", one) for one in drawn.chosen.languages]
        query += [("rating", one) for one in drawn.chosen.ratings]
        return f"{API_PATH}/products/{drawn.product_id}/comments?{urlencode(query)}"

    def answer(self, body: str) -> Answer:
        listing: dict[str, Any] = json.loads(body)
        ids = [one["id"] for one in listing["items"]]
        return Answer(ids, *(listing[one] for one in ("next", "previous", "last", "total")))


Reader = HtmlReader | ApiReader
READERS: Sequence[Reader] = (HtmlReader(), ApiReader())


@dataclass(slots=True)
class Tally:
    """What walks of one kind came to: pages by what they were, figures of pages, and faults."""

    searches: int = 0
    numbers: Counter[str] = field(default_factory=Counter)
    figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)

    def note_page(self, meter: Meter) -> None:
        of_list = [call for call in meter.log if call.label in (UNLABELLED, MARKS)]
        self.numbers["pages"] += 1
        self.figures["list_units"].append(sum(call.capacity_units for call in of_list))
        self.figures["list_rounds"].append(len({call.round for call in of_list}))
        self.figures["page_units"].append(meter.units)
        self.figures["page_rounds"].append(meter.rounds)

    def metrics(self) -> dict[str, Value]:
        """Return all of it by names."""
        found: dict[str, Value] = {"searches": self.searches, "wrong": len(self.wrong)}
        found |= {name: self.numbers[name] for name in NUMBERS}
        for name in FIGURES:
            values = self.figures[name]
            found[f"{name}_mean"] = round(fmean(values), 3)
            found[f"{name}_95"] = percentile_95(values)
            found[f"{name}_most"] = max(values)
        return found


ON, BACK = "on", "back"
FAULTS = ("missing", "twice", "extra", "order", "endless")
NUMBERS = (
    *("pages", "empty", "short", "redirects", "wrong totals", "wrong on", "wrong back"),
    *(f"{fault} {way}" for way in (ON, BACK) for fault in FAULTS),
)


class Walker:
    """Walks through searches by one reader and adds to a tally."""

    def __init__(
        self, reader: Reader, tally: Tally, client: Client, *, size: int, rng: Random
    ) -> None:
        self._reader = reader
        self._tally = tally
        self._client = client
        self._size = size
        self._rng = rng

    def walk(self, drawn: DrawnSearch, *, from_each: bool) -> None:
        """Walk through all pages on and back; ``from_each`` is whether back from each page."""
        faults: Counter[str] = Counter()
        expected = drawn.expected
        pages = self._follow(self._reader.first_url(drawn), ON)
        faults += _faults(expected, [one for page in pages for one in page.ids], ON)
        faults[f"endless {ON}"] += pages[-1].next is not None
        is_known = [page.total for page in pages if page.total is not None]
        faults["wrong totals"] += any(total != len(expected) for total in is_known)
        # Back from where the walk ended, and from the last page, of which the first one knows.
        faults += self._back(expected, pages[-1].previous, [*pages[-1].ids])
        if pages[0].last:
            faults += self._back(expected, pages[0].last, [])
        if from_each:
            in_front = list[str]()
            for page in pages:
                faults += self._back(in_front, page.previous, [])
                in_front += page.ids
        self._tally.searches += 1
        self._tally.numbers += faults
        ways = {name.rpartition(" ")[2] for name in +faults}
        self._tally.numbers.update(f"wrong {way}" for way in ways if way in (ON, BACK))
        if +faults:
            self._tally.wrong.append(f"{drawn}: {dict(+faults)}")

    def _back(self, expected: Sequence[str], url: str | None, shown: list[str]) -> Counter[str]:
        pages = self._follow(url, BACK) if url else []
        for page in pages:
            new = page.ids
            if page.previous is None:  # the first page, which is always shown whole
                known = {*shown, *({*page.ids} - {*expected})}
                new = [one for one in page.ids if one not in known]
            shown = [*new, *shown]
        faults = _faults(expected, shown, BACK)
        faults[f"endless {BACK}"] += bool(pages) and pages[-1].previous is not None
        return faults

    def _follow(self, url: str | None, way: str) -> list[Answer]:
        pages = list[Answer]()
        while url and len(pages) < MOST_PAGES:
            page = self._ask(url)
            pages.append(page)
            url = page.next if way == ON else page.previous
            self._tally.numbers["empty"] += not page.ids
            self._tally.numbers["short"] += bool(url) and len(page.ids) < self._size
        return pages

    def _ask(self, url: str) -> Answer:
        if self._rng.random() < COLD:
            cache.clear()
            RAREST.forget_all()
        with metered() as meter:
            response = self._client.get(url)
        self._tally.note_page(meter)
        if response.status_code == HTTPStatus.FOUND:
            self._tally.numbers["redirects"] += 1
            return self._ask(response["Location"])
        if response.status_code != HTTPStatus.OK:
            raise PageFailed(url, response.status_code)
        return self._reader.answer(response.content.decode())


def _faults(expected: Sequence[str], shown: Sequence[str], way: str) -> Counter[str]:
    """Return what is wrong with comments that were shown, by names with the ``way`` of a walk."""
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


def draw_search(
    rng: Random, newest: Sequence[Known], *, in_all_languages: bool = False
) -> DrawnSearch:
    """Draw a search of what a random comment says; ``newest`` are all comments."""
    languages = sorted({one.language for one in newest})
    while True:
        one = rng.choice(newest)
        words = _words_of(one.text, rng)
        text = " ".join(rng.sample(words, min(len(words), rng.randint(1, 3))))
        try:
            search = parse_search(text)
        except BadSearch:
            continue
        if not search.words:
            continue
        chosen_languages = rng.choice(
            ([], [one.language], [one.language, *rng.sample(languages, min(len(languages), 3))])
        )
        chosen = CommentFilter.of(
            [] if in_all_languages else chosen_languages[:MOST_LANGUAGES],
            rng.sample(RATINGS, rng.choice((0, 0, 1, 2, 3))),
        )
        order = rng.choice((CommentOrder.NEWEST, CommentOrder.OLDEST))
        return DrawnSearch(search, chosen, order, expected_ids(newest, search, chosen, order))


def _words_of(text: str, rng: Random) -> list[str]:
    """Return the words of a text; of one without spaces pieces of some characters."""
    words = list[str]()
    for word in re.findall(r"\w+", text):
        stems = indexed_stems("", word, "")
        if len(stems) > 1:
            start = rng.randrange(len(word) - 1)
            words.append(word[start : start + rng.randint(2, 3)])
        else:
            words.append(word)
    return words


def expected_ids(
    newest: Sequence[Known], search: Search, chosen: CommentFilter, order: CommentOrder
) -> list[str]:
    """Return the ids of the comments that a search must find, by looking at each.

    They are in the order of time, in one group of languages after the other.
    """
    stems: dict[str, frozenset[str]] = {}
    found = list[Known]()
    for one in newest:
        if chosen.languages and one.language not in chosen.languages:
            continue
        if chosen.ratings and one.rating not in chosen.ratings:
            continue
        if one.language not in stems:
            stems[one.language] = frozenset(search.stems(one.language))
        wanted = stems[one.language]
        if wanted and wanted <= one.stems:
            found.append(one)
    by_time = found if order is CommentOrder.NEWEST else found[::-1]
    groups = language_groups(newest, search, chosen)
    return [one.id for languages in groups for one in by_time if one.language in languages]


def language_groups(
    newest: Sequence[Known], search: Search, chosen: CommentFilter
) -> Sequence[Collection[str]]:
    """Return the languages of a search that are read at once, as the site divides them."""
    counts = ProductCounts(Counter((one.language, one.rating) for one in newest))
    return SearchPlan(PRODUCT_ID, search, chosen, counts=counts).groups


def known_comments(comments: Iterable[NewComment]) -> list[Known]:
    """Return what is known of comments, newest first."""
    newest = sorted(comments, key=lambda one: (one.created_at, one.id), reverse=True)
    return [
        Known(
            one.id,
            one.language,
            one.rating,
            f"{one.title}\n{one.body}",
            frozenset(indexed_stems(one.title, one.body, one.language)),
        )
        for one in newest
    ]


def measure_searches(
    *, searches: int, every: int, seed: int, fresh: bool, progress: Progress
) -> Iterator[Row]:
    """Walk through so many searches of each ``every``-th review, and fewer in other ways.

    Of each kind of walk there are rows by reader. Raises EngineError and PageFailed.
    """
    stores = Stores(settings.VAR_DIR / "bench", require_binary(), progress)
    reviews, some = real_reviews(), max(searches // ONE_OF_SMALL, 1)
    everyday = ReviewData(MADE, reviews=reviews, every=every)
    many = ManyLanguages(MADE, reviews=reviews, every=every)
    for data, number in ((everyday, searches), (many, some)):
        stored = stores.hold(data, fresh=fresh)
        sentence = "" if reviews else "Made comments: there are no real reviews here. "
        yield Row(PART, None, None, None, "data", sentence + stored.sentence)
        newest = known_comments(data.comments())
        rng = Random(seed)  # noqa: S311 - repeatable choices, nothing secret
        in_all = data is many
        drawn = [draw_search(rng, newest, in_all_languages=in_all) for _ in range(number)]
        with (
            open_context(db_path=stored.path, progress=progress),
            override_settings(COMMENTS={**settings.COMMENTS, "SEARCH": True}),
        ):
            prepare_product(newest)
            yield from _walk(drawn, newest, small=some, seed=seed, progress=progress)


def _walk(
    drawn: Sequence[DrawnSearch],
    newest: Sequence[Known],
    *,
    small: int,
    seed: int,
    progress: Progress,
) -> Iterator[Row]:
    """Walk through all searches in pages as on the site, and through some in small ones."""
    languages = len({one.language for one in newest})
    short = [one for one in drawn if len(one.expected) <= MOST_HITS_OF_SMALL][:small]
    for size, searches in ((settings.PAGE_SIZE, drawn), (SMALL, short)):
        label = f"in {languages} languages, pages of {size}"
        with (
            override_settings(PAGE_SIZE=size),
            progress.step(label, total=len(searches), unit="") as advance,
        ):
            tallies = walk_all(
                searches, size=size, from_each=size == SMALL, seed=seed, advance=advance
            )
        for reader, tally in tallies.items():
            yield from rows(PART, tally.metrics(), list=label, reader=reader)
            for text in tally.wrong[:SHOWN_WRONG]:
                yield Row(PART, label, None, reader, "wrong search", text)


def prepare_product(newest: Sequence[Known]) -> None:
    """Store what a page needs beside the postings: the product, and the counts of its comments."""
    create_catalogue()
    create_missing([Comment], client=client())
    counts: Counter[Cell] = Counter((one.language, one.rating) for one in newest)
    client().put_item(TableName=TABLE, Item=counts_item(PRODUCT_ID, counts))


def walk_all(
    searches: Sequence[DrawnSearch], *, size: int, from_each: bool, seed: int, advance: Advance
) -> dict[str, Tally]:
    """Walk through searches by each reader; return what that came to, by the reader's name."""
    browser = Client(headers={"host": HOST})
    tallies = {reader.name: Tally() for reader in READERS}
    walkers = [
        Walker(reader, tallies[reader.name], browser, size=size, rng=Random(seed))  # noqa: S311 - nothing secret
        for reader in READERS
    ]
    for drawn in searches:
        for walker in walkers:
            walker.walk(drawn, from_each=from_each)
        advance(1)
    return tallies


def searches_section(found: Results) -> Section:
    """Write the section of random searches."""
    walks = found.where(reader=tuple(reader.name for reader in READERS))
    return section(
        PART,
        found,
        groups={"walks": walks},
        wrong=sum(walks.numbers("wrong")),
        wrong_totals=sum(walks.numbers("wrong totals")),
        dearest=max(walks.numbers("page_units_most")),
        limit=MOST_UNITS,
    )
