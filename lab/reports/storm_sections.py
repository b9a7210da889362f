"""The reports of storms and loads, for docs/reliability.md."""

from collections import Counter

from django.conf import settings

from dynamo.web.shedding import FORM_WAITS, PAGE_WAITS
from lab.reports.figures import percentile_95
from lab.reports.load_figures import LoadFigures, RateFigures, SignInFigures
from lab.reports.storm_figures import (
    AWAY,
    DONE,
    FAILED,
    REFUSED,
    WRONGLY_REFUSED,
    StormFigures,
)
from lab.reports.tables import Section, Table, promise

OUTCOMES = (DONE, REFUSED, AWAY, FAILED)
TIMES = ("median", "95 %", "slowest health check")
MOST_LOST, MOST_P95, MOST_HEALTH = 1 / 0.9, 1.0, 0.2
"""Above its capacity the site serves 90 % of it; the others in seconds."""
PAGE_SLACK, WRITE_SLACK = 0.5, 1.0
"""Seconds that an answer takes besides its calls, on a machine that clients and engine share."""
MOST_REFUSED, MOST_TIMES = 1.0, 1.5
"""Pages in 100 while others sign in; how much slower that is than hashing alone."""


def storm_section(figures: StormFigures, *, read_model: str) -> Section:
    """Build the section of one storm."""
    options = figures.options
    kills = sorted(figures.kills.items())
    killed = ", ".join(f"{kind} {number} times" for kind, number in kills) or "nothing"
    about = (
        f"{options.clients} clients for {options.seconds:g} seconds, faults at {options.rate:.0%} "
        f"of the calls, and conflicts. Killed: {killed}. Seed {options.seed}."
    )
    return Section(
        name=f"storm-{read_model}",
        title=f"A storm on the read model {read_model}",
        notes=(
            about,
            *(f"Traceback: {sentence}" for sentence in figures.tracebacks),
            *(f"Wrong: {sentence}." for sentence in figures.wrong),
            *(f"Differs: {sentence}." for sentence in figures.differences),
        ),
        tables=(_outcomes(figures), _faults(figures), _promises(figures)),
    )


def load_section(figures: LoadFigures) -> Section:
    """Build the section of an open-loop load."""
    above = figures.rates[-1]
    slowest_check = max(above.health, default=0.0)
    about = (
        f"{figures.workers} processes work on {figures.pages_at_once} pages at once. Capacity is "
        "what they serve to clients that wait for their answers; then requests come at a rate of "
        "their own. Clients, site and engine share the machine."
    )
    return Section(
        name="load",
        title="More visitors than the site can serve",
        notes=(about,),
        tables=(
            Table(
                "Requests a second, and seconds from when a request was due",
                ("capacity", "offered", "÷ capacity", "answered", "refused", "lost", *TIMES),
                tuple(map(_load_row, figures.rates)),
            ),
            promise(
                "What the highest rate is held to",
                ("capacity ÷ answered", MOST_LOST, above.capacity / max(above.goodput, 0.1)),
                ("the 95th percentile of answers, in seconds", MOST_P95, above.p95),
                ("the slowest health check, in seconds", MOST_HEALTH, slowest_check),
            ),
            _sign_ins(figures.sign_ins),
            _sign_in_promises(figures.sign_ins),
        ),
    )


def _load_row(rate: RateFigures) -> tuple[str, ...]:
    return (
        f"{rate.capacity:.1f}",
        f"{rate.offered:.1f}",
        f"{rate.offered / rate.capacity:.1f}",
        f"{rate.goodput:.1f}",
        f"{rate.refused / rate.seconds:.1f}",
        f"{rate.lost / rate.seconds:.1f}",
        f"{rate.median:.3f}",
        f"{rate.p95:.3f}",
        f"{max(rate.health, default=0.0):.3f}",
    )


def _sign_ins(figures: SignInFigures) -> Table:
    return Table(
        f"{figures.clients} clients sign in, half of them by wrong names, beside "
        f"{figures.readers} readers. Cores that may hash: {figures.cores}, which hash "
        f"{figures.possible:.1f} passwords a second beside the same readers. A second",
        ("what", "answered", "refused", "95 % (s)"),
        (
            _sign_in_row("sign-ins", figures.sign_ins, figures.sign_ins_refused, figures.seconds),
            _sign_in_row("pages", figures.pages, figures.pages_refused, figures.seconds),
        ),
    )


def _sign_in_row(
    what: str, answered: tuple[float, ...], refused: int, seconds: float
) -> tuple[str, ...]:
    p95 = percentile_95(answered) if answered else 0.0
    return what, f"{len(answered) / seconds:.1f}", f"{refused / seconds:.1f}", f"{p95:.3f}"


def _sign_in_promises(figures: SignInFigures) -> Table:
    slower = figures.possible / max(figures.answered, 0.01)
    return promise(
        "What they are held to",
        ("pages refused, in 100", MOST_REFUSED, figures.refused_pages_of_100),
        ("sign-ins that the cores allow ÷ answered", MOST_TIMES, slower),
        ("neither answered nor refused", 0, figures.lost),
    )


def _outcomes(figures: StormFigures) -> Table:
    operations = sorted({operation for operation, _ in figures.outcomes})
    rows = tuple(
        (
            operation,
            *(f"{figures.outcomes[operation, outcome]:,}" for outcome in OUTCOMES),
            f"{figures.slowest[operation]:.2f}",
        )
        for operation in operations
    )
    return Table("What clients were told", ("operation", *OUTCOMES, "slowest (s)"), rows)


def _faults(figures: StormFigures) -> Table:
    by_kind: Counter[str] = Counter()
    for (kind, _), number in figures.faults.items():
        by_kind[kind] += number
    kinds = sorted(by_kind)
    operations = sorted({operation for _, operation in figures.faults})
    rows = tuple(
        (operation, *(f"{figures.faults[kind, operation]:,}" for kind in kinds))
        for operation in operations
    )
    return Table("Faults that calls met", ("call", *kinds), rows)


def _promises(figures: StormFigures) -> Table:
    slowest = figures.slowest
    slowest_write = max((s for name, s in slowest.items() if name != "read"), default=0.0)
    refused = sum(n for (_, what), n in figures.outcomes.items() if what == WRONGLY_REFUSED)
    failed = sum(n for (_, what), n in figures.outcomes.items() if what == FAILED)
    return promise(
        "What they are held to",
        ("answers with 500", 0, failed),
        ("tracebacks of the site", 0, len(figures.tracebacks)),
        ("own changes refused", 0, refused),
        ("stored otherwise than told", 0, len(figures.wrong)),
        ("found by check_integrity", 0, len(figures.differences)),
        (
            "the slowest page, in seconds",
            settings.PAGE_SECONDS + PAGE_WAITS + PAGE_SLACK,
            slowest.get("read", 0.0),
        ),
        (
            "the slowest write, in seconds",
            settings.WRITE_SECONDS + FORM_WAITS + WRITE_SLACK,
            slowest_write,
        ),
    )
