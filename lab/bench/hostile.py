"""The dearest page: lists whose comments lie as badly as they can, opened in every way.

Languages come and go, some are rare, each has ratings of its own, and for a while titles and texts
are as long as forms take them: what plans by counts expect is wrong. Each page is opened as HTML,
which is compared with the right answer, and in one form more; every second one when nothing is
remembered of the product.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.core.cache import cache

from comments.filters import MOST_LANGUAGES, RATINGS, CommentFilter
from comments.items import LONGEST_LISTED_TEXT, NewComment
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import MOST_UNITS
from comments.posting.forms import LONGEST_TITLE
from dynapages.calls import Meter, metered
from dynapages.django.options import Progress
from dynapages.django.paging import tokens
from dynapages.lists import HIGHEST, Order, Ordinal, Position
from lab.bench.context import BenchContext, Site, Stores, open_context, require_binary
from lab.bench.data import PRODUCT_ID, SPAN, START, CommentData, weighted
from lab.bench.pages import WrongAnswer, create_catalogue
from lab.reports.results import Results, Row, Value, rows
from lab.reports.tables import Section, section

CODES = (
    *("ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "ja"),
    *("ko", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk", "zh"),
)
PART = "hostile"
PRODUCTS = 3
COLD = 0.5
"""The part of the pages that are opened when nothing is remembered."""
SHOWN = re.compile(rb'data-comment-id="([^"]+)"')
ONE_ITEM = 0.5
"""Capacity units that one item may add to those of a page."""


@dataclass(frozen=True, slots=True)
class HostileData(CommentData):
    """Comments in 23 languages, each with a season, a weight, ratings and lengths of its own."""

    @property
    def name(self) -> str:
        return f"hostile-{self.seed}-{self.count}"

    def comments(self) -> Iterator[NewComment]:
        """Yield the comments in the order of their moments."""
        rng = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        habits = {code: _Habits.draw(rng) for code in CODES}
        for number in range(self.count):
            part = (number + rng.random()) / self.count
            there = {
                code: one.weight for code, one in habits.items() if one.since <= part < one.until
            }
            code = weighted(there or {"en": 1.0})(rng)
            habit = habits[code]
            is_long = part < habit.long_since
            yield NewComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=PRODUCT_ID,
                language=code,
                rating=weighted(habit.stars_at(part))(rng),
                created_at=START + SPAN * part,
                author=f"reader {number}",
                title="😀" * LONGEST_TITLE if is_long else "t" * rng.randrange(20),
                body="x" * (LONGEST_LISTED_TEXT if is_long else 1 + rng.randrange(80)),
            )


class _Habits(NamedTuple):
    """When comments in a language are written, how many, how long, and of which ratings."""

    weight: float
    since: float
    until: float
    long_since: float
    stars: dict[int, float]
    turn: float

    @classmethod
    def draw(cls, rng: Random) -> "_Habits":
        since = rng.random()
        return cls(
            weight=10 ** rng.uniform(-3, 1),
            since=since,
            until=since + 10 ** rng.uniform(-2, 0.3),
            long_since=rng.random(),
            stars={rating: 10 ** rng.uniform(-2, 1) for rating in RATINGS},
            turn=rng.random(),
        )

    def stars_at(self, part: float) -> dict[int, float]:
        """Return the weights of the ratings, which are turned round at a moment."""
        turned = dict(zip(RATINGS, reversed(self.stars.values()), strict=True))
        return self.stars if part < self.turn else turned


class _List(NamedTuple):
    """A list: the places of its comments and their ids, in its order."""

    chosen: CommentFilter
    order: CommentOrder
    places: Sequence[str]
    ids: Sequence[str]


def measure_hostile_lists(
    *, count: int, pages: int, fresh: bool, progress: Progress
) -> Iterator[Row]:
    """Open about so many pages of products with ``count`` comments each.

    Of each page there are rows: the list is its order, the reader is which page it is, and costs
    are those of the dearer of the forms it was opened in. Raises EngineError, WrongAnswer and
    PageFailed.
    """
    stores = Stores(settings.VAR_DIR / "bench", require_binary(), progress)
    yield Row(PART, None, None, None, "comments_of_a_product", count)
    for seed in range(PRODUCTS):
        data = HostileData(count, seed)
        stored = stores.hold(data, fresh=fresh)
        with open_context(db_path=stored.path, progress=progress) as context:
            create_catalogue()
            comments, number = list(data.comments()), pages // PRODUCTS
            yield from _open_pages(context, comments, seed=seed, pages=number)


def _open_pages(
    context: BenchContext, comments: Sequence[NewComment], *, seed: int, pages: int
) -> Iterator[Row]:
    rng = Random(seed)  # noqa: S311 - repeatable choices, nothing secret
    opened = 0
    with context.progress.step("Opening pages", total=pages, unit="") as advance:
        while opened < pages:
            listed = _draw_list(rng, comments)
            for way, query, begin, end in _ways(rng, listed, comments, context.page_size):
                expected = listed.ids[begin:end]
                found = _open(context.site, listed, way, query, expected=expected, rng=rng)
                yield from rows(PART, found, list=listed.order.value, reader=way)
                advance(1)
                opened += 1


def _draw_list(rng: Random, comments: Sequence[NewComment]) -> _List:
    order = rng.choice(list(CommentOrder))
    chosen = CommentFilter.of(
        rng.sample(CODES, rng.choice((0, 1, 2, 3, 4, 6, MOST_LANGUAGES))),
        rng.sample(RATINGS, rng.randrange(len(RATINGS))),
    )
    found = sorted(
        (
            (order.place(one.created_at, one.id, rating=one.rating), one.id)
            for one in comments
            if not chosen.languages or one.language in chosen.languages
            if not chosen.ratings or one.rating in chosen.ratings
        ),
        reverse=order.direction is Order.NEWEST_FIRST,
    )
    return _List(chosen, order, [place for place, _ in found], [one for _, one in found])


def _ways(
    rng: Random, listed: _List, comments: Sequence[NewComment], size: int
) -> Iterator[tuple[str, dict[str, str], int, int]]:
    """Yield pages of a list: which one, its query, and the numbers of the comments it may show."""
    pager, number = pager_of(PRODUCT_ID, listed.chosen, listed.order), len(listed.ids)

    def token(at: int) -> str:
        position = Position(listed.places[at], ordinal=Ordinal(at + 1))
        return tokens().write(position, list_name=pager.list_name)

    yield "the first page", {}, 0, size
    if number > size:
        yield "the last page", {"before": "end"}, number - size, number
        at = rng.randrange(size, number)
        yield "a page back", {"before": token(at)}, at - size, at
        at = rng.randrange(number - 1)
        yield "a page on", {"after": token(at)}, at + 1, at + 1 + size
    if not listed.order.is_by_rating:
        month = f"{rng.choice(comments).created_at:%Y-%m}"
        if listed.order is CommentOrder.OLDEST:
            at = sum(place < month for place in listed.places)
        else:
            at = sum(place >= month + HIGHEST for place in listed.places)
        yield "from a month on", {"month": month}, at, at + size


def _open(
    site: Site,
    listed: _List,
    way: str,
    query: dict[str, str],
    *,
    expected: Sequence[str],
    rng: Random,
) -> dict[str, Value]:
    def open_as(form: str = "", *, fragment: bool = False) -> tuple[bytes, Meter]:
        in_form = query | ({"format": form} if form else {})
        joint = "&" if "?" in url else "?"
        with metered() as meter:
            return site.get(f"{url}{joint}{urlencode(in_form)}", fragment=fragment), meter

    url = pager_of(PRODUCT_ID, listed.chosen, listed.order).first_url
    if rng.random() < COLD:
        cache.clear()
    body, meter = open_as()
    ids = [found.decode() for found in SHOWN.findall(body)]
    back = "before" in query
    is_short = len(ids) < len(expected)
    right = expected[-len(ids) :] if back and ids else expected[: len(ids)]
    goes_on = (b'rel="prev"' if back else b'rel="next"') in body
    if ids != list(right) or (is_short and not goes_on):
        raise WrongAnswer(f"{way} of {url} ({query}) is not what the list has there.")
    others = (open_as, partial(open_as, fragment=True), partial(open_as, "atom"))
    _, other = rng.choice(others)()
    return {
        "capacity_units": max(meter.units, other.units),
        "rounds": max(meter.rounds, other.rounds),
        "is_short": is_short,
        "is_empty": is_short and not ids,
    }


def hostile_section(found: Results) -> Section:
    """Write the section of the dearest page."""
    order = [each.value for each in CommentOrder]
    pages = [row for row in found if row.list is not None]
    units = found.numbers("capacity_units")
    return section(
        "hostile",
        found,
        groups={"pages": Results(sorted(pages, key=lambda row: order.index(str(row.list))))},
        pages=len(units),
        products=PRODUCTS,
        languages=len(CODES),
        limit=MOST_UNITS + ONE_ITEM,
        dearest=max(units),
    )
