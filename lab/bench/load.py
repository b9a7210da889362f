"""More visitors than the site can serve: requests come at a rate, whether it keeps up or not.

The site's capacity is measured by clients that wait for each answer; then requests come at parts of
it and above it, in turns, as the speed of machines varies from second to second. In the end clients
sign in as often as the site lets them, beside a few readers. All clients are Locust's.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from math import ceil
from statistics import fmean, median
from time import monotonic

from django.conf import settings
from django.contrib.auth.hashers import make_password

from demo.processes import WORKERS, serving
from dynapages.django.options import Progress
from lab.bench.context import Stores, open_context, require_binary, site_config
from lab.bench.data import PRODUCT_ID, CommentData
from lab.bench.pages import create_catalogue
from lab.load.running import Found, Requests, locust, require_locust, run
from lab.reports.results import Results, Row, Value, percentile_95, rows
from lab.reports.tables import Section, section
from shop.accounts.passwords import SLOTS
from shop.accounts.services import UsernameTaken, create_profile

PART = "load"
COMMENTS = 20_000
PATHS = (
    f"/products/{PRODUCT_ID}/",
    f"/products/{PRODUCT_ID}/comments/~/1.3.5/",
    f"/products/{PRODUCT_ID}/comments/de.en/1.2.4.5/",
)
PARTS = (0.5, 0.8, 1.2)
TURN = 8.0
"""Seconds for which requests come at a rate, after the capacity was measured for half as long."""
SENDERS = 128
WARM_UP = 2.0
SIGN_INS, READERS = 16, 4
PASSWORD = "lampshades on the moon"  # noqa: S105 - of customers of an engine that others cannot reach
NONE = Requests()


def measure_load(
    *, seconds: float, progress: Progress, parts: Sequence[float] = PARTS
) -> Iterator[Row]:
    """Load the comments into an engine, and measure the site on it.

    Raises EngineError, LocustMissing and LocustFailed.
    """
    require_locust()
    stores = Stores(settings.VAR_DIR / "bench", require_binary(), progress)
    stored = stores.hold(CommentData(COMMENTS), fresh=False)
    with open_context(db_path=stored.path, progress=progress) as context:
        create_catalogue()
        for number in range(0, SIGN_INS, 2):
            with suppress(UsernameTaken):
                name = f"load-{number}"
                create_profile(username=name, password=PASSWORD, now=datetime.now(UTC))
        config = site_config(context.endpoint_url, TRUSTED_PROXIES="1")
        yield from rows(
            PART, {"workers": WORKERS, "pages_at_once": settings.MAX_CONCURRENT_REQUESTS}
        )
        with serving(config), progress.step("Loading", total=len(parts) + 1, unit="") as advance:
            _capacity(config.port, seconds=WARM_UP)
            for part in parts:
                turns = [_turn(config.port, part=part) for _ in range(ceil(seconds / TURN))]
                yield from rows(PART, _rate_of(turns), list=f"{part:g} of the capacity")
                advance(1)
            yield from _sign_in(config.port, seconds=seconds)
            advance(1)


def _capacity(port: int, *, seconds: float) -> float:
    """Return the pages a second that as many clients get as the site works for at a time."""
    clients = {"Waiting": WORKERS * settings.MAX_CONCURRENT_REQUESTS}
    found = run(port, clients, paths=PATHS, seconds=seconds)
    return found.get("page", NONE).answered / seconds


def _turn(port: int, *, part: float) -> tuple[float, float, Found]:
    """Measure the capacity, and then offer a part of it; return both, and what came of it."""
    capacity = _capacity(port, seconds=TURN / 2)
    offered = capacity * part
    clients = {"Arriving": SENDERS, "Checking": 1}
    found = run(port, clients, paths=PATHS, seconds=TURN, rate=offered / SENDERS)
    return capacity, offered, found


def _rate_of(turns: Sequence[tuple[float, float, Found]]) -> dict[str, Value]:
    """Return the figures of several turns: means a second, and seconds of all answers."""
    found = [each for _, _, each in turns]
    pages, seconds = [each.get("page", NONE) for each in found], TURN * len(turns)
    answers = list(chain.from_iterable(one.seconds for one in pages))
    return {
        "capacity": fmean(capacity for capacity, _, _ in turns),
        "offered": fmean(offered for _, offered, _ in turns),
        "answered": sum(one.answered for one in pages) / seconds,
        "refused": sum(each.get("page (refused)", NONE).answered for each in found) / seconds,
        "lost": sum(one.failed for one in pages) / seconds,
        "median": median(answers or (0.0,)),
        "p95": percentile_95(answers or (0.0,)),
        "slowest_check": max(each.get("health", NONE).slowest for each in found),
    }


def _sign_in(port: int, *, seconds: float) -> Iterator[Row]:
    """Sign in with all clients, and read with others, for ``seconds``.

    Before that, as many cores as may do so hash for half of that time, beside the same readers.
    """
    readers = {"Reading": READERS}
    with locust(port, readers, paths=PATHS, seconds=seconds / 2) as found:
        until = monotonic() + seconds / 2
        with ThreadPoolExecutor(SLOTS.most) as threads:
            hashes = sum(threads.map(_hash, [until] * SLOTS.most))
        found()
    clients = {**readers, "SigningIn": SIGN_INS}
    signed = run(port, clients, paths=PATHS, seconds=seconds, password=PASSWORD)
    facts = {"clients": SIGN_INS, "readers": READERS, "cores": SLOTS.most}
    lost = sum(one.failed for one in signed.values())
    yield from rows(PART, {**facts, "hashes": hashes / (seconds / 2), "lost": lost})
    for name, what in (("sign-ins", "sign-in"), ("pages", "page")):
        answers = signed.get(what, NONE)
        figures = {
            "answered": answers.answered / seconds,
            "refused": signed.get(f"{what} (refused)", NONE).answered / seconds,
            "p95": percentile_95(answers.seconds or (0.0,)),
        }
        yield from rows(PART, figures, list=name)


def _hash(until: float) -> int:
    hashes = 0
    while monotonic() < until:
        make_password(PASSWORD)
        hashes += 1
    return hashes


def load_section(found: Results) -> Section:
    """Write the section of a load."""
    rates = Results(row for row in found if str(row.list).endswith("of the capacity"))
    above = rates.where(list=rates[-1].list)
    sign_ins, pages = (found.where(list=name) for name in ("sign-ins", "pages"))
    read, refused = pages.number("answered"), pages.number("refused")
    return section(
        "load",
        found,
        groups={"rates": rates, "signing_in": found.where(list=("sign-ins", "pages"))},
        above=above.number("capacity") / max(above.number("answered"), 0.1),
        above_p95=above.number("p95"),
        above_check=above.number("slowest_check"),
        pages_refused=100 * refused / max(read + refused, 0.01),
        slower=found.number("hashes") / max(sign_ins.number("answered"), 0.01),
        lost=found.where(list=None).number("lost"),
    )
