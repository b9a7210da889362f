"""The comments and orders that are measured, and the right answers about them.

Made from a seed: the same on every machine. Languages and ratings are as uneven as in real reviews,
moments are random over three years, and texts are filler of realistic lengths in no language.
Orders have no lines, which lists do not read.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import exp
from random import Random
from typing import TypeVar

from django.conf import settings

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment, items_of
from comments.models import Comment
from comments.store.counts import Cell, cell_name
from dynapages.items import Item, table_key, wire_key
from dynapages.lists import Position, sort_key_of
from dynapages.pynamodb import DynamoModel
from dynapages.writes import SHARDS
from shop import keys as shop_keys
from shop.models import ShopItem
from shop.order_status import OPEN, Status
from shop.orders.counts import count_changes
from shop.orders.filters import OrderFilter
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, StatusChange, order_items
from shop.table import OPEN_ORDERS

T = TypeVar("T")
PRODUCT_ID = "bench"
LANGUAGES = {"en": 60, "de": 20, "fr": 10, "es": 5, "it": 2, "nl": 1.5, "pt": 1, "ja": 0.5}
STARS = dict(zip(RATINGS, (37, 8, 9, 9, 37), strict=True))
"""Weights of languages and ratings."""
SEASONS = {
    "en": (60, 0.8, 0.3),
    "de": (40, 0.2, 0.2),
    "fr": (30, 0.45, 0.1),
    "es": (30, 1.0, 0.1),
    "it": (10, 0.3, 0.05),
    "nl": (8, 0.0, 0.1),
    "pt": (6, 0.8, 0.1),
    "ja": (4, 0.5, 0.02),
}
"""Of each language the weight in its season, and the season's middle and width, as parts of the
span."""
LATER_STARS = dict(zip(RATINGS, (55, 3, 12, 15, 15), strict=True))
"""Weights of ratings that those in ``STARS`` drift to."""
START, SPAN = datetime(2021, 1, 1, tzinfo=UTC), timedelta(days=3 * 365)
TYPICAL_TEXT, TEXT_SPREAD = 4.9, 0.8
"""Mean and deviation of the logarithm of a text's length: half are shorter than 135 letters."""
LONGEST_TEXT = 4_000
TITLED = 0.8
AUTHORS = 20_000
WORDS = (
    *("the", "it", "was", "and", "after", "two", "weeks", "of", "use", "battery", "lamp", "box"),
    *("arrived", "late", "again", "works", "as", "expected", "colour", "is", "nothing", "like"),
    *("picture", "would", "buy", "not", "my", "daughter", "loves", "this", "returned", "money"),
    *("quality", "for", "price", "surprisingly", "good", "broke", "screen", "sound", "delivery"),
)


@dataclass(frozen=True, slots=True)
class CommentData:
    """``count`` comments on one product; nothing depends on anything else, as planners assume."""

    count: int
    seed: int = 2_024
    model: type[DynamoModel] = Comment

    @property
    def name(self) -> str:
        return f"comments-{self.count}"

    def items(self) -> Iterator[Item]:
        """Yield the items of the comments and of long bodies, and the product's counts."""
        counts: Counter[Cell] = Counter()
        for comment in self.comments():
            counts[comment.language, comment.rating] += 1
            for item in items_of(comment):
                if item is not None:
                    yield item.serialize()
        yield counts_item(PRODUCT_ID, counts)

    def comments(self) -> Iterator[NewComment]:
        """Yield the comments, in no order of time."""
        rng = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        filler = " ".join(rng.choices(WORDS, k=20_000))
        languages, stars = weighted(LANGUAGES), weighted(STARS)
        for _ in range(self.count):
            yield NewComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=PRODUCT_ID,
                language=languages(rng),
                rating=stars(rng),
                created_at=START + SPAN * rng.random(),
                author=f"reader {rng.randrange(AUTHORS)}",
                title=_cut(filler, rng.random(), 8 + int(rng.random() * 40))
                if rng.random() < TITLED
                else "",
                body=_cut(filler, rng.random(), _length(rng)),
            )


@dataclass(frozen=True, slots=True)
class SeasonData(CommentData):
    """Comments whose languages come and go, and whose ratings drift."""

    @property
    def name(self) -> str:
        return f"seasons-{self.count}"

    def comments(self) -> Iterator[NewComment]:
        rng = Random(self.seed + 1)  # noqa: S311 - repeatable data, nothing secret
        for comment in CommentData.comments(self):
            part = (comment.created_at - START) / SPAN
            language, rating = weighted(_languages_at(part))(rng), weighted(_stars_at(part))(rng)
            yield replace(comment, language=language, rating=rating)


def _languages_at(part: float) -> dict[str, float]:
    return {
        language: weight * exp(-(((part - middle) / width) ** 2))
        for language, (weight, middle, width) in SEASONS.items()
    }


def _stars_at(part: float) -> dict[int, float]:
    return {stars: STARS[stars] * (1 - part) + LATER_STARS[stars] * part for stars in RATINGS}


def counts_item(product_id: str, counts: Mapping[Cell, int]) -> Item:
    """Build the item that holds a product's counts."""
    key = table_key(**keys.counts(product_id, 0))
    return {**key, **{cell_name(*of): {"N": str(n)} for of, n in counts.items()}}


class CommentAnswers:
    """The right answer for every filter, from the comments themselves."""

    def __init__(self, comments: Iterable[NewComment]) -> None:
        self._places: dict[Cell, list[str]] = defaultdict(list)
        for comment in comments:
            place = sort_key_of(comment.created_at, comment.id)
            self._places[comment.language, comment.rating].append(place)

    def places(self, chosen: CommentFilter) -> Sequence[str]:
        """Return the places of a list's comments, newest first."""
        found = [
            place
            for (language, rating), places in self._places.items()
            if (not chosen.languages or language in chosen.languages)
            and (not chosen.ratings or rating in chosen.ratings)
            for place in places
        ]
        return sorted(found, reverse=True)


def weighted(weights: Mapping[T, float]) -> Callable[[Random], T]:
    """Return a function that picks a value by its weight with one number of a generator."""
    values, bounds = list(weights), list(accumulate(weights.values()))
    return lambda rng: rng.choices(values, cum_weights=bounds)[0]


def _length(rng: Random) -> int:
    return min(int(rng.lognormvariate(TYPICAL_TEXT, TEXT_SPREAD)) + 1, LONGEST_TEXT)


def _cut(filler: str, where: float, length: int) -> str:
    start = int(where * (len(filler) - LONGEST_TEXT))
    return filler[start : start + length].strip() or "ok"


CUSTOMER = "bench"
OTHERS = 30_000
LONGEST_STEP = timedelta(days=20)
STATUSES = {
    Status.DELIVERED: 78,
    Status.SHIPPED: 8,
    Status.CANCELED: 6,
    Status.RETURNED: 4,
    Status.PROCESSING: 2,
    Status.APPROVED: 1,
    Status.PLACED: 1,
}
"""Weights of the statuses of the customer's orders."""
QUEUED = {Status.PLACED: 30, Status.APPROVED: 20, Status.PROCESSING: 50}
"""Weights of the statuses of the open orders of all others."""


@dataclass(frozen=True, slots=True)
class OrderData:
    """Orders of one customer, and open ones of others, the same for the same seed."""

    of_customer: int
    queued: int
    seed: int = 2_024
    model: type[ShopItem] = ShopItem

    @property
    def name(self) -> str:
        return f"orders-{self.of_customer}-{self.queued}"

    @property
    def count(self) -> int:
        return self.of_customer + self.queued

    def items(self) -> Iterator[Item]:
        """Yield the orders' items, the counts of the customer and the queue, and the shards."""
        rng = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        cells: dict[str, Counter[str]] = {}
        for order in self.orders():
            items = order_items(order, shard=rng.randrange(settings.ORDER_SHARDS))
            for item in items.all:
                yield item.serialize()
            deltas = count_changes(order.username, left=None, entered=order.now_in.status)
            for name, changes in deltas.items():
                cells.setdefault(name, Counter()).update(changes)
        for name, counts in cells.items():
            numbers = {cell_name: {"N": str(number)} for cell_name, number in counts.items()}
            yield {**table_key(**shop_keys.counter(name, 0)), **numbers}
        yield shards_item(settings.ORDER_SHARDS)

    def orders(self) -> Iterator[NewOrder]:
        """Yield the orders, in no order of time."""
        rng = Random(self.seed)  # noqa: S311 - the same
        own, queued = weighted(STATUSES), weighted(QUEUED)
        for number in range(self.count):
            is_own = number < self.of_customer
            placed = START + SPAN * rng.random()
            status = (own if is_own else queued)(rng)
            history = [StatusChange(Status.PLACED, placed)]
            entered = StatusChange(status, placed + LONGEST_STEP * rng.random())
            if status is not Status.PLACED:
                history.append(entered)
            yield NewOrder(
                id=imported_order_id(placed, f"{self.seed}-{number}"),
                username=CUSTOMER if is_own else f"customer-{rng.randrange(OTHERS)}",
                placed_at=placed,
                lines=(),
                history=tuple(history),
                currency="EUR",
            )


def shards_item(number: int) -> Item:
    """Build the item that says in how many shards the open orders are."""
    key = wire_key(OPEN_ORDERS.key)
    return {**key, SHARDS: {"N": str(number)}}


class OrderAnswers:
    """The right answer for every list, from the orders themselves."""

    def __init__(self, orders: Iterable[NewOrder]) -> None:
        self._orders = list(orders)

    def of_customer(self, chosen: OrderFilter) -> list[Position]:
        """Return the positions of a list of the customer's orders, newest first.

        Days narrow only lists of statuses here.
        """
        own = [order for order in self._orders if order.username == CUSTOMER]
        if not chosen.statuses:
            return [Position(order_id) for order_id in sorted((o.id for o in own), reverse=True)]
        since, until = chosen.days.moments
        places = [
            sort_key_of(order.now_in.moment, order.id)
            for order in own
            if order.now_in.status in chosen.statuses
            if since is None or order.now_in.moment >= since
            if until is None or order.now_in.moment < until
        ]
        return [Position(place) for place in sorted(places, reverse=True)]

    def queue(self, statuses: Sequence[Status]) -> list[Position]:
        """Return the positions of the queue, oldest first."""
        found = [
            Position(sort_key_of(order.placed_at, order.id), order.username)
            for order in self._orders
            if order.now_in.status in (statuses or OPEN)
        ]
        return sorted(found, key=lambda position: position.place)
