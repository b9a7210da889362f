"""The pages and forms of the traffic: the site's own, in this process, measured one by one.

Each is made several times. A partition that is another one each time, such as a visitor's own, is
no bottleneck and left out. The numbered shards of a partition are taken together: a request that
writes one of them at random writes, on average, an equal part of each.
"""

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import StringIO
from itertools import count
from statistics import fmean

from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils.module_loading import import_string

from comments.posting.forms import new_form_id
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.process import client, connected
from dynapages.tables import create_missing
from lab.bench.engines import local_connection, running_engine
from lab.scale.partitions import Partition, Recorder, recorded_partitions
from shop.accounts.queries import users_called
from shop.accounts.services import create_profile
from shop.activity.recording import LOG
from shop.activity.tables import make_tables

SAMPLE_COMMENTS = 6_000
TIMES = 6
"""How often a request is measured, after once that is not."""
SEEN_OF_ONE_VISITOR = 2
"""How often a partition of one's own is seen: a comment is written, and read by the next writer."""
LOG_SECONDS = 5.0
ADDRESS = {
    "address-name": "Load Example",
    "address-lines": "Sample Street 1",
    "address-postal_code": "10115",
    "address-city": "Berlin",
    "address-country": "DE",
}
"""What is typed where an order is to go."""
QUIET_LOGGERS = ("request", "security", "django.request")


class RequestFailed(DynamoError):
    """A request of the traffic was not answered with a page."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request, and its share of all requests, which is assumed: no shop was counted.

    Shared caches may keep ``cached_urls`` pages of it, maybe for each product.
    """

    name: str
    share: float
    of_product: bool = True
    cached_urls: int = 0


KINDS = (
    Kind("product page", 0.30, cached_urls=1),
    Kind("filtered list", 0.33, cached_urls=20),
    Kind("category", 0.12, cached_urls=1),
    Kind("front page", 0.10, of_product=False, cached_urls=1),
    Kind("ranking", 0.04, of_product=False, cached_urls=1),
    Kind("basket", 0.03),
    Kind("orders", 0.03, of_product=False),
    Kind("queue", 0.001, of_product=False),
    Kind("post", 0.004),
    Kind("vote", 0.02),
    Kind("order", 0.02),
    Kind("move", 0.005),
)


@dataclass(frozen=True, slots=True)
class Product:
    """The product that requests are about: its id, its category, and a comment to vote on."""

    id: str
    category: str
    comment_id: str

    def is_in(self, key: str) -> bool:
        """Return whether a partition key is of this product, its category or its comment."""
        return any(name in key for name in (self.id, self.category, self.comment_id))

    def in_words(self, partition: Partition) -> str:
        """Describe a partition with placeholders in its key, such as ``reads of PRODUCT#…``."""
        key = partition.key.replace(self.id, "<product>")
        key = key.replace(self.category, "<category>").replace(self.comment_id, "<comment>")
        table = partition.table.removeprefix(settings.DYNAMODB_TABLE_PREFIX)
        table = re.sub(r"^activity-.*", "activity", table)  # its tables have the month's name
        if partition.index_name:
            table = f"{table}.{partition.index_name}"
        verb = "writes" if partition.is_write else "reads"
        return f"{verb} of {key} in {table}"


@dataclass(frozen=True, slots=True)
class Requested:
    """What one request of a kind takes on average.

    ``units`` are those of partitions that other requests use as well, all shards of one together.
    """

    kind: Kind
    units: Mapping[Partition, float]
    read_units: float
    write_units: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The requests of all kinds, and by partition how many shards it stands for."""

    product: Product
    requests: Sequence[Requested]
    shards: Mapping[Partition, int]


# The shop, and its visitors.


@contextmanager
def sample_shop() -> Iterator[Product]:
    """Load the sample shop into an engine of its own; yield its most commented product."""
    now = datetime.now(UTC)
    catalogue = sample_catalogue()
    for name in QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with (
        running_engine() as url,
        connected(local_connection(url)),
        override_settings(ALLOWED_HOSTS=["testserver"], DEBUG=False, SECURE_SSL_REDIRECT=False),
    ):
        create_missing([import_string(name) for name in settings.DYNAMODB_MODELS], client=client())
        make_tables(client=client(), now=now)
        call_command("load_sample", comments=SAMPLE_COMMENTS, json=True, stdout=StringIO())
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        comments = list(sample_comments(catalogue, count=SAMPLE_COMMENTS, now=today))
        numbers = Counter(comment.product_id for comment in comments)
        product_id, _number = numbers.most_common(1)[0]
        # The sample's comments are made again as they were loaded, to know their ids.
        categories = {one.id: one.category_slugs[0] for one in catalogue.products}
        last_comments = {one.product_id: one.id for one in comments}
        yield Product(product_id, categories[product_id], last_comments[product_id])


@dataclass(slots=True)
class Visitors:
    """Visitors of the sample shop, each with a name and an address of their own."""

    product: Product
    recorder: Recorder
    _numbers: "count[int]" = field(default_factory=count)

    def send(self, kind: str) -> None:
        """Make one request; only what it takes itself is recorded. Raises RequestFailed."""
        path, visitor, fields = self._prepare(kind)
        # The log of activity is written behind the pages; signing up is no part of the request.
        LOG.flush(seconds=LOG_SECONDS)
        self.recorder.clear()
        response = visitor.get(path) if fields is None else visitor.post(path, fields)
        LOG.flush(seconds=LOG_SECONDS)
        if response.status_code >= 400:  # noqa: PLR2004 - HTTP's
            raise RequestFailed(f"A {kind} was answered with {response.status_code}.")

    def _prepare(  # noqa: PLR0911 - one of each kind
        self, kind: str
    ) -> tuple[str, Client, dict[str, str] | None]:
        """Return a request's path, who sends it, and the fields of its form, None of a page."""
        product = self.product.id
        public_pages = {
            "product page": f"/products/{product}/",
            "filtered list": f"/products/{product}/comments/de.en/1.2.5/",
            "category": f"/categories/{self.product.category}/",
            "front page": "/",
            "ranking": "/rankings/most-loved/",
        }
        if kind in public_pages:
            return public_pages[kind], Client(headers={"Accept-Language": "en"}), None
        name = f"scale-{next(self._numbers)}"
        visitor = self._signed_in(name, is_staff=kind in {"queue", "move"})
        if kind == "queue":
            return "/staff/orders/", visitor, None
        if kind == "orders":
            return "/orders/", visitor, None
        if kind == "post":
            form_id = new_form_id(user_id=name, product_id=product, now=datetime.now(UTC))
            fields = {"rating": "5", "language": "en", "title": "At scale", "body": f"By {name}."}
            return f"/products/{product}/comments/new/", visitor, {**fields, "form_id": form_id}
        if kind == "vote":
            return f"/comments/vote/{self.product.comment_id}/", visitor, {"helpful": "yes"}
        # The rest needs a basket, and some of it an order: filling them is not recorded.
        visitor.post("/basket/add/", {"product_id": product, "quantity": "1"})
        if kind == "basket":
            return "/basket/", visitor, None
        form = visitor.get("/basket/order/").content.decode()
        (order_id,) = re.findall(r'name="order_id" value="(\w+)"', form)
        fields = {"order_id": order_id, "point": "", **ADDRESS}
        if kind == "order":
            return "/basket/place/", visitor, fields
        placed = visitor.post("/basket/place/", fields)
        order_path = placed.headers["Location"].partition("?")[0]
        return f"{order_path}move/", visitor, {"from_status": "PLACED", "move": "APPROVED"}

    def _signed_in(self, name: str, *, is_staff: bool) -> Client:
        create_profile(username=name, password=None, now=datetime.now(UTC), is_staff=is_staff)
        number = next(self._numbers)
        visitor = Client(REMOTE_ADDR=f"10.0.{number // 256}.{number % 256}")
        visitor.force_login(users_called(name)[0])
        return visitor


# The measuring.


@dataclass(frozen=True, slots=True)
class Sample:
    """What one request took: the units of each partition, and all."""

    by_partition: Mapping[Partition, float]
    read_units: float
    write_units: float


def measure_requests(progress: Progress) -> Measured:
    """Measure requests of all kinds. Raises EngineError and RequestFailed."""
    samples: dict[str, list[Sample]] = defaultdict(list)
    with sample_shop() as product, recorded_partitions() as recorder:
        visitors = Visitors(product, recorder)
        with progress.step("Requests", total=(TIMES + 1) * len(KINDS), unit="") as advance:
            for turn in range(TIMES + 1):
                for kind in KINDS:
                    visitors.send(kind.name)
                    by_partition = dict(recorder.by_partition)
                    sample = Sample(by_partition, recorder.read_units, recorder.write_units)
                    if turn:  # processes remember what they have read before
                        samples[kind.name].append(sample)
                    advance(1)
    every_sample = [sample for of_kind in samples.values() for sample in of_kind]
    shared = _shared_families(every_sample)
    requests = [_mean_of(kind, samples[kind.name], shared) for kind in KINDS]
    return Measured(product, requests, _numbers_of_shards(every_sample))


def _shared_families(samples: Sequence[Sample]) -> set[Partition]:
    """Return the partitions that more requests used than those of one visitor."""
    seen: Counter[Partition] = Counter()
    for sample in samples:
        # Once a request, however many of its shards were used.
        seen.update({partition.family for partition in sample.by_partition})
    return {family for family, times in seen.items() if times > SEEN_OF_ONE_VISITOR}


def _numbers_of_shards(samples: Sequence[Sample]) -> dict[Partition, int]:
    """Return how many shards each partition stands for, for reads and for writes."""
    shards: dict[Partition, set[str]] = defaultdict(set)
    for sample in samples:
        for partition in sample.by_partition:
            # A page that reads all shards knows of more than were written.
            for is_write in (False, True):
                shards[partition.family._replace(is_write=is_write)].add(partition.key)
    return {family: len(keys) for family, keys in shards.items()}


def _mean_of(kind: Kind, samples: Sequence[Sample], shared: set[Partition]) -> Requested:
    """Return what a request took on average, of partitions that others use as well."""
    units: dict[Partition, float] = defaultdict(float)
    for sample in samples:
        for partition, taken in sample.by_partition.items():
            if partition.family in shared:
                units[partition.family] += taken / len(samples)
    return Requested(
        kind,
        units,
        read_units=fmean(sample.read_units for sample in samples),
        write_units=fmean(sample.write_units for sample in samples),
    )
