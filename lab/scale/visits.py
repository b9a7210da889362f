"""The pages and writes of the traffic: the site's own, in this process, measured one by one.

Each is measured several times, behind the proxy and within `dynapages.calls.metered`, which must
agree on its units. A partition that is another one each time, such as a visitor's own, is no
bottleneck and left out. One of several shards, drawn at random for each write, is taken as one
partition that serves as many times as much.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from math import inf
from threading import Barrier
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.test import Client

from comments.posting.forms import new_form_id
from dynapages.calls import Meter, metered, time_budget
from dynapages.errors import DynamoError
from dynapages.process import pool
from lab.scale.limits import Partition
from lab.scale.proxy import ProxiedCall, ThrottlingProxy, Use
from shop.accounts.queries import users_called
from shop.accounts.services import create_profile
from shop.activity.months import Month
from shop.activity.recording import LOG

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

Send = Callable[[], "Answer"]
WRITE_SECONDS = 1.0
"""What a form may take: a throttled transaction is tried again and again until then."""
TRIES = 3
"""Of a request, where a busy machine took too long for it."""
RARE = 2
"""How often a partition of one's own is seen: a comment is written, and read by the next writer."""
SHARD = re.compile(r"#\d+$")


class Disagreement(DynamoError):
    """The proxy and the meter found different units."""


class WronglyFailed(DynamoError):
    """A request failed although nothing was throttled."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request. Shared caches may keep ``urls`` pages of it, maybe for each product."""

    name: str
    share: float
    of_product: bool = True
    urls: int = 0
    is_write: bool = False


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind("product page", 0.30, urls=1),
            Kind("filtered list", 0.33, urls=20),
            Kind("category", 0.12, urls=1),
            Kind("front page", 0.10, of_product=False, urls=1),
            Kind("ranking", 0.04, of_product=False, urls=1),
            Kind("basket", 0.03),
            Kind("orders", 0.03, of_product=False),
            Kind("queue", 0.001, of_product=False),
            Kind("post", 0.004, is_write=True),
            Kind("vote", 0.02, is_write=True),
            Kind("order", 0.02, is_write=True),
            Kind("move", 0.005, is_write=True),
        )
    }
)
"""By their names, with their shares of all requests, which are assumed: no shop was counted."""


@dataclass(slots=True)
class Shop:
    """Visitors of the sample shop, each with an address of their own.

    ``categories`` and ``comments`` have, by product, its category and the comment to vote on.
    """

    proxy: ThrottlingProxy
    products: Sequence[str]
    categories: Mapping[str, str]
    comments: Mapping[str, str]
    _numbers: "count[int]" = field(default_factory=count)

    def request(self, kind: str, product: str) -> Send:
        """Prepare a request, which the proxy does not see; return what sends it."""
        self.proxy.paused = True
        try:
            return self._ready(kind, product)
        finally:
            self.proxy.paused = False

    def _ready(self, kind: str, product: str) -> Send:  # noqa: PLR0911 - one of each kind
        pages = {
            "product page": f"/products/{product}/",
            "filtered list": f"/products/{product}/comments/de.en/1.2.5/",
            "category": f"/categories/{self.categories[product]}/",
            "front page": "/",
            "ranking": "/rankings/most-loved/",
        }
        if kind in pages:
            return lambda: Client(headers={"Accept-Language": "en"}).get(pages[kind])
        name = f"scale-{next(self._numbers)}"
        visitor = self._signed_in(name, is_staff=kind in {"queue", "move"})
        if kind == "queue":
            return lambda: visitor.get("/staff/orders/")
        if kind == "orders":
            return lambda: visitor.get("/orders/")
        if kind == "post":
            form_id = new_form_id(user_id=name, product_id=product, now=datetime.now(UTC))
            words = {"rating": "5", "language": "en", "title": "At scale", "body": f"Says {name}."}
            path = f"/products/{product}/comments/new/"
            return lambda: visitor.post(path, {**words, "form_id": form_id})
        if kind == "vote":
            path = f"/comments/vote/{self.comments[product]}/"
            return lambda: visitor.post(path, {"helpful": "yes"})
        visitor.post("/basket/add/", {"product_id": product, "quantity": "1"})
        if kind == "basket":
            return lambda: visitor.get("/basket/")
        form = visitor.get("/basket/order/").content.decode()
        (order_id,) = re.findall(r'name="order_id" value="(\w+)"', form)

        def place() -> "Answer":
            return visitor.post("/basket/place/", {"order_id": order_id, "point": ""})

        if kind == "order":
            return place
        path = f"{_path_of(place())}move/"
        return lambda: visitor.post(path, {"from_status": "PLACED", "move": "APPROVED"})

    def _signed_in(self, name: str, *, is_staff: bool = False) -> Client:
        create_profile(username=name, password=None, now=datetime.now(UTC), is_staff=is_staff)
        number = next(self._numbers)
        visitor = Client(REMOTE_ADDR=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        visitor.force_login(users_called(name)[0])
        return visitor

    def send(self, kind: str, product: str) -> bool:
        """Make a request; return whether nothing of it was throttled. Raises WronglyFailed."""
        for _ in range(TRIES):
            ready = self.request(kind, product)
            before = self.proxy.throttled
            self.proxy.begin_page()
            with time_budget(WRITE_SECONDS if KINDS[kind].is_write else inf):
                answer = ready()
            LOG.flush(seconds=0)
            is_answered = answer.status_code < 400  # noqa: PLR2004 - HTTP's
            if not is_answered:
                _wait_for_other_calls()
            is_throttled = self.proxy.throttled > before
            if is_answered or is_throttled:
                return not is_throttled
        raise WronglyFailed(f"A {kind} answered {answer.status_code}, and nothing was throttled.")


def _wait_for_other_calls() -> None:
    """Wait for the calls of a page that went on without them: until no thread makes one."""
    threads = pool()
    all_are_free = Barrier(threads.size)
    threads.gather([all_are_free.wait] * threads.size)


def _path_of(answer: "Answer") -> str:
    return answer.headers["Location"].partition("?")[0]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a page in one of its rounds; see `Meter.rounds`.

    ``uses`` are those of partitions that others use as well, ``units`` all that it takes.
    """

    operation: str
    round: int
    uses: tuple[Use, ...]
    units: float = 0.0
    actions: int = 1
    response_bytes: int = 0


Calls = tuple[Call, ...]
Shards = Mapping[Partition, int]
"""How many partitions stand behind one whose key ends with ``#*``."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The calls of requests by kind and product, each time, and the shards drawn at random.

    ``tables_behind`` are written behind the pages.
    """

    samples: Mapping[tuple[str, str], Sequence[Calls]]
    shards: Shards
    tables_behind: Sequence[str]

    def last(self, kind: str, product: str) -> Calls:
        """Return the calls of a request the last time."""
        return self.samples[kind, product][-1]


def measure(
    shop: Shop, products: Sequence[str], *, times: int, advance: Callable[[int], object]
) -> Measured:
    """Measure requests of all kinds about some products, each more than twice ``times``.

    Raises Disagreement.
    """
    measured: dict[tuple[str, str], list[Calls]] = defaultdict(list)
    for number in range(times + 1):
        for kind, described in KINDS.items():
            for product in products if described.of_product else products[:1]:
                calls = _measured(shop, kind, product)
                if number:  # processes remember what they have read before
                    measured[kind, product].append(calls)
        advance(1)
    seen: dict[Partition, set[tuple[str, str, int]]] = defaultdict(set)
    for key, samples in measured.items():
        for number, calls in enumerate(samples):
            for call in calls:
                for use in call.uses:
                    seen[use.partition].add((*key, number))
    kept = {one for one, by in seen.items() if len(by) > RARE}
    shards = _drawn(measured, seen)
    return Measured(
        {
            key: [tuple(_kept(call, kept, shards) for call in calls) for calls in samples]
            for key, samples in measured.items()
        },
        {family: len(members) for family, members in shards.items()},
        (Month.of(datetime.now(UTC)).table,),
    )


def _measured(shop: Shop, kind: str, product: str) -> Calls:
    ready = shop.request(kind, product)
    shop.proxy.begin_page()
    with metered() as meter:
        ready()
        LOG.flush(seconds=1)
    rounds = _rounds(meter)
    calls = []
    for call in shop.proxy.log:
        name = call.operation, round(call.units, 3)
        if not rounds[name]:
            raise Disagreement(f"The meter has no such call of a {kind}: {name}")
        calls.append(_call(call, rounds[name].pop(0)))
    return tuple(calls)


def _rounds(meter: Meter) -> dict[tuple[str, float], list[int]]:
    """Return the rounds of metered calls, by operation and units."""
    units: dict[tuple[int, str, int], float] = defaultdict(float)
    for one in meter.log:
        units[one.number, one.operation, one.round] += one.capacity_units
    rounds: dict[tuple[str, float], list[int]] = defaultdict(list)
    for (_, operation, at), taken in units.items():
        rounds[operation, round(taken, 3)].append(at)
    return rounds


def _call(seen: ProxiedCall, at: int) -> Call:
    return Call(seen.operation, at, seen.uses, seen.units, seen.actions, seen.response_bytes)


def _drawn(
    measured: Mapping[tuple[str, str], Sequence[Calls]],
    seen: Mapping[Partition, Iterable[object]],
) -> dict[Partition, set[Partition]]:
    """Return the families of shards of which a request writes now one, now another."""
    families: dict[Partition, set[Partition]] = defaultdict(set)
    for partition in filter(lambda one: SHARD.search(one.key), seen):
        # A page that reads all shards knows of more than were drawn.
        families[family_of(partition)._replace(is_write=True)].add(
            partition._replace(is_write=True)
        )
    drawn = {}
    for family, members in families.items():
        by = {sample for one in members for sample in seen.get(one, ())}
        for samples in measured.values() if len(by) > 1 else ():
            written = [{u.partition for c in s for u in c.uses} & members for s in samples]
            if any(one != written[0] for one in written):
                drawn[family] = members
    return drawn


def family_of(partition: Partition) -> Partition:
    """Return the partition that stands for all shards of one."""
    return partition._replace(key=SHARD.sub("#*", partition.key))


def _kept(call: Call, kept: set[Partition], shards: Mapping[Partition, object]) -> Call:
    """Leave out what nobody else uses, and put families in the place of shards drawn at random."""
    uses: dict[Partition, float] = defaultdict(float)
    for partition, units in call.uses:
        family = family_of(partition)
        if family in shards:
            uses[family] += units
        elif partition in kept:
            uses[partition] += units
    return replace(call, uses=tuple(Use(*use) for use in uses.items()))
