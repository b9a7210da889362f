"""The comments and orders that are measured, and the right answers about them.

They are made from a seed: the same on every machine. Languages and ratings are as uneven as in real
reviews, moments are random over three years, and texts are filler of realistic lengths in no
language. Orders have no lines, which lists do not read.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from django.conf import settings

from comments import keys
from comments.filters import CommentFilter
from comments.items import NewComment, items_of
from comments.models import Comment
from comments.store.counts import Cell, cell_name, cell_names
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

SEED = 2_024
START, SPAN = datetime(2021, 1, 1, tzinfo=UTC), timedelta(days=3 * 365)

PRODUCT_ID = "bench"
LANGUAGE_WEIGHTS = {"en": 60, "de": 20, "fr": 10, "es": 5, "it": 2, "nl": 1.5, "pt": 1, "ja": 0.5}
RATING_WEIGHTS = {1: 37, 2: 8, 3: 9, 4: 9, 5: 37}
TEXT_LENGTH_MEAN, TEXT_LENGTH_DEVIATION = 4.9, 0.8
"""Of the logarithm of a text's length: half are shorter than 135 characters."""
LONGEST_TEXT = 4_000
SHARE_WITH_TITLE = 0.8
AUTHORS = 20_000
WORDS = (
    *("the", "it", "was", "and", "after", "two", "weeks", "of", "use", "battery", "lamp", "box"),
    *("arrived", "late", "again", "works", "as", "expected", "colour", "is", "nothing", "like"),
    *("picture", "would", "buy", "not", "my", "daughter", "loves", "this", "returned", "money"),
    *("quality", "for", "price", "surprisingly", "good", "broke", "screen", "sound", "delivery"),
)
FILLER_WORDS = 20_000

CUSTOMER = "bench"
OTHER_CUSTOMERS = 30_000
LONGEST_STEP = timedelta(days=20)
"""The longest time from placing an order to the status that it has."""
CUSTOMER_STATUS_WEIGHTS = {
    Status.DELIVERED: 78,
    Status.SHIPPED: 8,
    Status.CANCELED: 6,
    Status.RETURNED: 4,
    Status.PROCESSING: 2,
    Status.APPROVED: 1,
    Status.PLACED: 1,
}
QUEUE_STATUS_WEIGHTS = {Status.PLACED: 30, Status.APPROVED: 20, Status.PROCESSING: 50}
"""Of the open orders of all other customers."""


# Comments.


@dataclass(frozen=True, slots=True)
class CommentData:
    """``count`` comments on one product, whose languages, ratings and moments are independent."""

    count: int
    seed: int = SEED
    product_id: str = PRODUCT_ID
    model: type[DynamoModel] = Comment

    @property
    def name(self) -> str:
        return f"comments-{self.count}"

    def items(self) -> Iterator[Item]:
        """Yield the items of the comments and of long texts, and the product's counts."""
        numbers: Counter[str] = Counter()
        for comment in self.comments():
            numbers.update(cell_names(comment.language, comment.rating, comment.created_at))
            for item in items_of(comment):
                if item is not None:
                    yield item.serialize()
        yield counter_item(self.product_id, numbers)

    def comments(self) -> Iterator[NewComment]:
        """Yield the comments, in no order of time."""
        random = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        # Cutting a long text is quicker than drawing the words of each comment.
        filler = filler_text(random)
        languages, language_weights = list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values())
        ratings, rating_weights = list(RATING_WEIGHTS), list(RATING_WEIGHTS.values())
        for _ in range(self.count):
            comment_id = f"{random.getrandbits(64):016x}"
            (language,) = random.choices(languages, language_weights)
            (rating,) = random.choices(ratings, rating_weights)
            created_at = START + SPAN * random.random()
            author = f"reader {random.randrange(AUTHORS)}"
            title = ""
            if random.random() < SHARE_WITH_TITLE:
                title = _piece_of(filler, random, length=random.randrange(8, 48))
            length = int(random.lognormvariate(TEXT_LENGTH_MEAN, TEXT_LENGTH_DEVIATION)) + 1
            yield NewComment(
                id=comment_id,
                product_id=self.product_id,
                language=language,
                rating=rating,
                created_at=created_at,
                author=author,
                title=title,
                body=_piece_of(filler, random, length=min(length, LONGEST_TEXT)),
            )


@dataclass(frozen=True, slots=True)
class ManyProducts:
    """``count`` comments on several products, the second of which has half as many as the first.

    The number of a product's comments falls off by Zipf's law. ``prefix`` begins the products' ids.
    """

    count: int
    products: int
    prefix: str
    model: type[DynamoModel] = Comment

    @property
    def name(self) -> str:
        return f"{self.prefix}-{self.products}-{self.count}"

    @property
    def product_ids(self) -> Sequence[str]:
        """The ids of the products, the one with the most comments first."""
        return [f"{self.prefix}-{number:03}" for number in range(1, self.products + 1)]

    def items(self) -> Iterator[Item]:
        """Yield the items of all comments, and the counts of each product."""
        for data in self._of_each_product():
            yield from data.items()

    def comments(self) -> Iterator[NewComment]:
        """Yield the comments, product by product."""
        for data in self._of_each_product():
            yield from data.comments()

    def _of_each_product(self) -> Iterator[CommentData]:
        weights = zipf_weights(self.products)
        for number, product_id in enumerate(self.product_ids):
            share = weights[number] / sum(weights)
            # Ids are drawn from the seed: all products differ in it, from the single one too.
            seed = SEED + 1 + number
            yield CommentData(max(1, round(self.count * share)), seed, product_id)


def zipf_weights(number: int) -> Sequence[float]:
    """Return weights that fall off by Zipf's law: that of the n-th is an n-th of the first."""
    return [1 / rank for rank in range(1, number + 1)]


def filler_text(random: Random) -> str:
    """Return a long text of random words, to cut texts from."""
    return " ".join(random.choices(WORDS, k=FILLER_WORDS))


def _piece_of(filler: str, random: Random, *, length: int) -> str:
    start = random.randrange(len(filler) - LONGEST_TEXT)
    return filler[start : start + length].strip() or "ok"


def time_and_id(comment: NewComment) -> tuple[datetime, str]:
    """Return what lists sort a comment by."""
    return comment.created_at, comment.id


def counts_item(product_id: str, counts: Mapping[Cell, int]) -> Item:
    """Build the item that holds a product's counts, by language and rating."""
    numbers = {}
    for (language, rating), number in counts.items():
        numbers[cell_name(language, rating)] = number
    return counter_item(product_id, numbers)


def counter_item(product_id: str, numbers: Mapping[str, int]) -> Item:
    """Build the item that holds a product's counts, by the names of their cells."""
    attributes = {name: {"N": str(number)} for name, number in numbers.items()}
    return {**table_key(**keys.counts(product_id, 0)), **attributes}


class CommentAnswers:
    """The right answer for every filter, from the comments themselves."""

    def __init__(self, comments: Iterable[NewComment]) -> None:
        self._sort_keys: dict[Cell, list[str]] = defaultdict(list)
        for comment in comments:
            sort_key = sort_key_of(comment.created_at, comment.id)
            self._sort_keys[comment.language, comment.rating].append(sort_key)

    def sort_keys(self, chosen: CommentFilter) -> Sequence[str]:
        """Return the sort keys of a list's comments, newest first."""
        matching: list[str] = []
        for (language, rating), sort_keys in self._sort_keys.items():
            if chosen.languages and language not in chosen.languages:
                continue
            if chosen.ratings and rating not in chosen.ratings:
                continue
            matching += sort_keys
        return sorted(matching, reverse=True)

    def positions(self, chosen: CommentFilter) -> list[Position]:
        """Return the positions of a list's comments, newest first."""
        return [Position(sort_key) for sort_key in self.sort_keys(chosen)]


# Orders.


@dataclass(frozen=True, slots=True)
class OrderData:
    """Orders of one customer, and open ones of others."""

    of_customer: int
    queued: int
    model: type[ShopItem] = ShopItem

    @property
    def name(self) -> str:
        return f"orders-{self.of_customer}-{self.queued}"

    @property
    def count(self) -> int:
        return self.of_customer + self.queued

    def items(self) -> Iterator[Item]:
        """Yield the orders' items, the counts of the customer and the queue, and the shards."""
        random = Random(SEED)  # noqa: S311 - repeatable data, nothing secret
        counters: dict[str, Counter[str]] = defaultdict(Counter)
        for order in self.orders():
            shard = random.randrange(settings.ORDER_SHARDS)
            for item in order_items(order, shard=shard).all:
                yield item.serialize()
            deltas = count_changes(order.username, left=None, entered=order.now_in.status)
            for counter, changes in deltas.items():
                counters[counter].update(changes)
        # The site would have counted each order as it came.
        for counter, counts in counters.items():
            numbers = {name: {"N": str(number)} for name, number in counts.items()}
            yield {**table_key(**shop_keys.counter(counter, 0)), **numbers}
        yield shards_item(settings.ORDER_SHARDS)

    def orders(self) -> Iterator[NewOrder]:
        """Yield the orders, in no order of time."""
        random = Random(SEED)  # noqa: S311 - repeatable data, nothing secret
        for number in range(self.count):
            username, weights = CUSTOMER, CUSTOMER_STATUS_WEIGHTS
            if number >= self.of_customer:
                username = f"customer-{random.randrange(OTHER_CUSTOMERS)}"
                weights = QUEUE_STATUS_WEIGHTS
            placed_at = START + SPAN * random.random()
            (status,) = random.choices(list(weights), list(weights.values()))
            # Lists read the last status alone: those between are left out.
            history = [StatusChange(Status.PLACED, placed_at)]
            if status is not Status.PLACED:
                history.append(StatusChange(status, placed_at + LONGEST_STEP * random.random()))
            yield NewOrder(
                id=imported_order_id(placed_at, f"{SEED}-{number}"),
                username=username,
                placed_at=placed_at,
                lines=(),
                history=tuple(history),
                currency="EUR",
            )


def shards_item(number: int) -> Item:
    """Build the item that says in how many shards the open orders are."""
    return {**wire_key(OPEN_ORDERS.key), SHARDS: {"N": str(number)}}


class OrderAnswers:
    """The right answer for every list, from the orders themselves."""

    def __init__(self, orders: Iterable[NewOrder]) -> None:
        self._orders = list(orders)

    def of_customer(self, chosen: OrderFilter) -> list[Position]:
        """Return the positions of a list of the customer's orders, newest first.

        Days narrow only lists of statuses here.
        """
        since, until = chosen.days.moments
        sort_keys = []
        for order in self._orders:
            entered_at = order.now_in.moment
            if order.username != CUSTOMER:
                continue
            if not chosen.statuses:
                sort_keys.append(order.id)
                continue
            is_in_days = (since is None or entered_at >= since) and (
                until is None or entered_at < until
            )
            if order.now_in.status in chosen.statuses and is_in_days:
                sort_keys.append(sort_key_of(entered_at, order.id))
        return [Position(sort_key) for sort_key in sorted(sort_keys, reverse=True)]

    def queue(self, statuses: Sequence[Status]) -> list[Position]:
        """Return the positions of open orders, oldest first: of some statuses, or of all."""
        positions = []
        for order in self._orders:
            if order.now_in.status in (statuses or OPEN):
                sort_key = sort_key_of(order.placed_at, order.id)
                positions.append(Position(sort_key, order.username))
        return sorted(positions, key=_sort_key)


def _sort_key(position: Position) -> str:
    return position.place
