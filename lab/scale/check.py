"""The simulation against an engine: the site's own requests, behind a proxy that throttles.

Both get the same requests, a thousandth of a large shop's, and a thousandth of the limits. The
proxy's clock is set from request to request, so that a run takes as long as its requests. Left out
is the log of activity, which is written behind the pages, by a queue that tries again.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import StringIO
from random import Random

from django.conf import settings
from django.core.management import call_command
from django.test import override_settings
from django.utils.module_loading import import_string

from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.process import client, connected
from dynapages.tables import create_missing
from lab.bench.context import local, running
from lab.scale.limits import Limits, Partition
from lab.scale.proxy import ThrottlingProxy
from lab.scale.simulation import Arrivals, Model, Outcome, Traffic, draw, zipf
from lab.scale.visits import KINDS, Calls, Measured, Shop, family_of
from shop.activity.recording import LOG
from shop.activity.tables import make_tables

DIVISOR = 1_000
"""Both rates and limits are divided by it."""
PATIENCE = 30.0
"""Seconds for a call and a page, so that a busy machine fails none."""
LOGGERS = ("request", "security", "django.request", "comments", "shop")


@contextmanager
def open_shop(*, comments: int) -> Iterator[Shop]:
    """Load the sample shop into an engine of its own, behind a proxy that lets all calls through.

    The client makes one attempt of each call. Raises EngineError.
    """
    now = datetime.now(UTC)
    catalogue = sample_catalogue()
    levels = {name: logging.getLogger(name).level for name in LOGGERS}
    with running(db_path=None) as url, ThrottlingProxy(url) as proxy:
        with connected(local(url)):
            create_missing([import_string(n) for n in settings.DYNAMODB_MODELS], client=client())
            make_tables(client=client(), now=now)
            call_command("load_sample", comments=comments, json=True, stdout=StringIO())
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        made = list(sample_comments(catalogue, count=comments, now=today))
        LOG.runs_by_itself = False
        for name in LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            with (
                connected(replace(local(proxy.endpoint_url), attempts=1, read_seconds=PATIENCE)),
                override_settings(
                    ALLOWED_HOSTS=["testserver"],
                    DEBUG=False,
                    SECURE_SSL_REDIRECT=False,
                    PAGE_SECONDS=PATIENCE,
                ),
            ):
                yield Shop(
                    proxy,
                    [product for product, _ in Counter(c.product_id for c in made).most_common()],
                    {one.id: one.category_slugs[0] for one in catalogue.products},
                    {comment.product_id: comment.id for comment in made},
                )
        finally:
            LOG.runs_by_itself = True
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the simulation says, and what the proxy counted."""

    traffic: Traffic
    simulated: Outcome
    proxied: Outcome

    @property
    def ratio(self) -> float:
        """The simulated share of throttled calls, by that which the proxy counted."""
        return self.simulated.share / self.proxied.share if self.proxied.share else 0.0

    @property
    def has_one_bottleneck(self) -> bool:
        return self.simulated.bottleneck == self.proxied.bottleneck


def compare(
    shop: Shop,
    measured: Measured,
    traffic: Traffic,
    limits: Limits,
    *,
    seed: int,
    advance: Callable[[int], object],
) -> Agreement:
    """Make the requests of some traffic, and simulate the same. Raises WronglyFailed."""
    products = list(dict.fromkeys(product for _, product in measured.samples))
    arrivals = list(_arrivals(traffic, measured, products))
    counts = list(draw(traffic, arrivals, seed=seed))
    model = Model(arrivals, limits, measured.shards)
    simulated = model.run(iter(counts), step=1)
    proxy, random = shop.proxy, Random(seed)  # noqa: S311 - repeatable
    proxy.exempt = measured.tables_behind
    proxy.restart(limits)
    for second, arrived in enumerate(counts):
        proxy.advance(second)
        requests = [
            one for one, number in zip(arrivals, arrived, strict=True) for _ in range(int(number))
        ]
        random.shuffle(requests)
        for one in requests:
            shop.send(one.kind, products[one.product])
        advance(1)
    refused: dict[Partition, float] = defaultdict(float)
    for partition, number in proxy.refused.items():
        family = family_of(partition)
        refused[family if family in measured.shards else partition] += number
    proxied = Outcome(proxy.seen, proxy.throttled, refused)
    proxy.restart(None)
    return Agreement(traffic, simulated, proxied)


def _arrivals(traffic: Traffic, measured: Measured, products: Sequence[str]) -> Iterator[Arrivals]:
    """Yield the requests of a shop of so few products, all of which were measured."""
    popular = zipf(len(products), among=len(products))
    for kind, described in KINDS.items():
        shares = list((1 - traffic.hot) * popular)
        shares[0] += traffic.hot
        if not described.of_product:
            shares = [1.0]
        for number, share in enumerate(shares):
            samples = measured.samples[kind, products[number]]
            for calls in samples:
                part = traffic.share(kind) * share / len(samples)
                yield Arrivals(kind, number, part, _kept(calls, measured.tables_behind))


def _kept(calls: Calls, behind: Sequence[str]) -> Calls:
    """Leave out what is written behind the pages."""
    return tuple(c for c in calls if not any(u.partition.table in behind for u in c.uses))
