"""One storm: clients, a site of two processes, an engine behind a proxy that makes faults.

What is promised, and a storm's figures: docs/reliability.md.
"""

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from django.conf import settings
from django.utils.module_loading import import_string

from comments.host import COMMENTS
from comments.integrity.comments import comment_differences
from comments.sets.copies import SETS
from comments.sets.integrity import set_differences
from config.web.shedding import FORM_WAITS, PAGE_WAITS
from demo.processes import DemoConfig, FileEngine, manage, serving
from dynapages.django.options import Progress
from dynapages.engine.server import Child
from dynapages.process import client, connected
from dynapages.tables import create_missing
from dynapages.upkeep import Difference
from lab.bench.context import local, require_binary, site_config
from lab.reports.results import Results, Row, rows
from lab.reports.tables import Section, section
from lab.storm.clients import FAILED, WRONGLY_REFUSED, Browser, Ledger, StormClient, Tally
from lab.storm.proxy import FaultyProxy
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.activity.tables import make_tables
from shop.catalogue.services import ensure_products

PART = "storm"
CLIENTS = 12
PAGE_SLACK, WRITE_SLACK = 0.5, 1.0
"""Seconds that an answer takes besides its calls, on a machine that clients and engine share."""
READ = "read"
ENGINE, WORKER, STREAM = KILLABLE = ("engine", "worker", "stream")
PRODUCTS = ("storm-lamp", "storm-kettle")
"""So few that writers meet."""
LOCKED = 0.02
"""Seconds that a transaction holds its items longer, so that others meet it."""
EVERY = 7.0
"""Seconds between two kills."""
MOST_LINES = 100_000
EXCEPTION = re.compile(r"[\w.]+(:|$)(?! File)")
"""The line of a traceback that names the exception; those before begin with two words."""
FOLLOWED = 60.0
"""Seconds that the copies of the read model ``sets`` may need at the end."""
REPAIRED = frozenset({"rank", "leftovers"})
"""Kinds of differences that an interrupted write may leave behind, and a repair mends."""


@dataclass(frozen=True, slots=True)
class StormOptions:
    """How long, in seconds, how many calls of a hundred meet a fault, and what is killed."""

    seconds: float
    rate: float
    kill: Sequence[str] = ()
    seed: int = 1


def run_storm(options: StormOptions, *, progress: Progress) -> Results:
    """Run one. Raises EngineError and DemoFailed where it cannot begin.

    ``told`` are outcomes by operation, ``faults`` those that calls met. ``wrong`` is what is stored
    otherwise than clients were told, ``traceback`` an exception that the site logged,
    ``difference`` what the integrity check found.
    """
    folder = settings.VAR_DIR / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        scratch = stack.enter_context(TemporaryDirectory(dir=folder, prefix="storm-"))
        engine = stack.enter_context(
            FileEngine(binary=require_binary(), db_path=Path(scratch) / "storm.db")
        )
        proxy = stack.enter_context(
            FaultyProxy(engine.endpoint_url, seed=options.seed, lock_seconds=LOCKED)
        )
        stack.enter_context(connected(local(engine.endpoint_url)))
        ledgers = _prepare()
        config = site_config(
            proxy.endpoint_url,
            VAR_DIR=scratch,
            COMMENTS_READ_MODEL=COMMENTS["READ_MODEL"],
            COMMENT_WRITES_PER_USER="10000",
            COMMENT_WRITES_PER_ADDRESS="100000",
        )
        site = stack.enter_context(serving(config, kept_lines=MOST_LINES))
        acts: dict[str, Callable[[], object]] = {
            ENGINE: partial(_kill_engine, engine),
            WORKER: partial(_kill_worker, site),
            STREAM: stack.enter_context(_following(config)),
        }
        killer = _Killer(options.kill, acts)
        tally = Tally()
        clients = [
            StormClient(
                Browser.signed_in(config.port, find_user(ledger.username)),
                *(ledger, PRODUCTS, tally),
                Random(f"{options.seed} {ledger.username}"),  # noqa: S311 - repeatable
            )
            for ledger in ledgers
        ]
        proxy.rate = options.rate
        _work(clients, options.seconds, killer, progress)
        proxy.rate = 0.0
        wrong = [sentence for ledger in ledgers for sentence in ledger.wrong()]
        found = _differences()
        mended = [d.mend for d in found if d.kind in REPAIRED and d.mend]
        if all(mend() for mend in mended) and mended:
            found = _differences()
        sentences = {
            "traceback": list(_tracebacks(site.output())),
            "wrong": wrong,
            "difference": [f"{d.kind} {d.subject}: {d.stored}, not {d.expected}" for d in found],
        }
        return Results(
            (
                *rows(PART, {"seconds": options.seconds, "rate": options.rate}),
                *rows(PART, {"clients": CLIENTS, "seed": options.seed}),
                *(Row(PART, k, None, None, "kills", n) for k, n in sorted(killer.done.items())),
                *(
                    Row(PART, operation, None, outcome, "told", number)
                    for (operation, outcome), number in sorted(tally.outcomes.items())
                ),
                *(Row(PART, name, None, None, "slowest", s) for name, s in tally.slowest.items()),
                *(
                    Row(PART, call, None, fault, "faults", number)
                    for (fault, call), number in sorted(
                        proxy.met.items(), key=lambda met: met[0][1]
                    )
                ),
                *(Row(PART, None, None, None, k, one) for k in sentences for one in sentences[k]),
            )
        )


def _call_of(met: tuple[tuple[str, str], int]) -> str:
    return met[0][1]


def _tracebacks(lines: Sequence[str]) -> Iterator[str]:
    """Yield the last line of each traceback, which names the exception."""
    is_within = False
    for line in lines:
        is_within |= line.startswith("Traceback")
        if is_within and EXCEPTION.match(line):
            is_within = False
            yield line


def _differences() -> Sequence[Difference]:
    """Return what the integrity check finds, when the copies have followed."""
    found = [each for each in comment_differences() if not each.is_hint]
    if COMMENTS["READ_MODEL"] != SETS:
        return found
    until = monotonic() + FOLLOWED
    while (copies := list(set_differences())) and monotonic() < until:
        sleep(1)
    return [*found, *copies]


def _prepare() -> list[Ledger]:
    now = datetime.now(UTC)
    models = [import_string(name) for name in settings.DYNAMODB_MODELS]
    create_missing(models, client=client())
    make_tables(client=client(), now=now)
    ensure_products(product_ids=set(PRODUCTS))
    names = [f"client-{number}" for number in range(CLIENTS)]
    for name in names:
        create_profile(username=name, password=None, now=now)
    return [Ledger(name) for name in names]


def _work(
    clients: Sequence[StormClient], seconds: float, killer: "_Killer", progress: Progress
) -> None:
    until = monotonic() + seconds

    def work(one: StormClient) -> None:
        while monotonic() < until:
            one.step()

    with (
        progress.step("A storm", total=round(seconds), unit=" s") as advance,
        ThreadPoolExecutor(len(clients)) as threads,
    ):
        working = [threads.submit(work, one) for one in clients]
        while monotonic() < until:
            sleep(1)
            killer.kill()
            advance(1)
        for one in working:
            one.result()


class _Killer:
    """Kills one process after another; those without a supervisor start again.

    From the thread of its caller alone: an engine ends with the thread that has started it.
    """

    def __init__(self, kinds: Sequence[str], acts: Mapping[str, Callable[[], object]]) -> None:
        self.done: Counter[str] = Counter()
        self._kinds, self._acts = cycle(kinds), acts
        self._next = monotonic() + EVERY

    def kill(self) -> None:
        """Kill the next one, if it is time."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + EVERY
        for kind in islice(self._kinds, 1):
            self._acts[kind]()
            self.done[kind] += 1


@contextmanager
def _following(config: DemoConfig) -> Iterator[Callable[[], None]]:
    """Make the copies of the read model ``sets`` within the block; yield what kills that process.

    Another one is then started. The other read model has none.
    """
    is_followed = COMMENTS["READ_MODEL"] == SETS

    def start() -> Child:
        return Child(manage(("run_stream",)), env=config.environment, listen=True)

    running = [start()] if is_followed else []

    def kill() -> None:
        for child in running:
            child.kill()
            child.wait(5)
        running[:] = [start() for _ in running]

    try:
        yield kill
    finally:
        for child in running:
            child.stop()


def _kill_engine(engine: FileEngine) -> None:
    if engine.pid:
        os.kill(engine.pid, signal.SIGKILL)
    engine.stop()
    engine.start()


def _kill_worker(site: Child) -> None:
    """Kill one of gunicorn's processes, which starts another one."""
    workers = Path(f"/proc/{site.pid}/task/{site.pid}/children").read_text().split()
    for worker in workers[:1]:
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(int(worker), signal.SIGKILL)


def storm_section(found: Results, *, read_model: str) -> Section:
    """Write the section of one storm."""
    operations = found.where(metric=("told", "slowest"))
    writes = [row for row in operations.where(metric="slowest") if row.list != READ]
    killed = [f"{row.list} {row.value} times" for row in found.where(metric="kills")]
    written = section(
        "storm",
        found,
        name=f"storm-{read_model}",
        groups={"operations": operations, "faults": found.where(metric="faults")},
        read_model=read_model,
        killed=", ".join(killed) or "nothing",
        failed=sum(found.where(reader=FAILED).numbers("told")),
        tracebacks=len(found.values("traceback")),
        wrongly_refused=sum(found.where(reader=WRONGLY_REFUSED).numbers("told")),
        wrong=len(found.values("wrong")),
        differences=len(found.values("difference")),
        most_of_a_page=settings.PAGE_SECONDS + PAGE_WAITS + PAGE_SLACK,
        slowest_page=found.where(list=READ).number("slowest"),
        most_of_a_write=settings.WRITE_SECONDS + FORM_WAITS + WRITE_SLACK,
        slowest_write=max((float(row.value) for row in writes), default=0.0),
    )
    sentences = (
        *(f"Traceback: {sentence}" for sentence in found.values("traceback")),
        *(f"Wrong: {sentence}." for sentence in found.values("wrong")),
        *(f"Differs: {sentence}." for sentence in found.values("difference")),
    )
    return replace(written, notes=(*written.notes, *sentences))
