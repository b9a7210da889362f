"""``manage.py bench``: speed and cost of the site's pages, as tables in Markdown."""

import os
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from comments.host import COMMENTS
from comments.lists.queries import INDEXES
from dynapages.django.options import Progress, at_least_one, failures_in_one_line
from lab.bench.api import measure_api
from lab.bench.data import CommentAnswers, CommentData, OrderAnswers, OrderData
from lab.bench.engines import data_file, engine_version, require_binary
from lab.bench.grid import grid, measure_grid
from lab.bench.imports import measure_imports
from lab.bench.pages import comment_lists, measure_pages, order_lists
from lab.bench.site import open_site
from lab.bench.topics import measure_topics
from lab.bench.words import WordData, measure_searches, real_reviews
from lab.report import Section
from lab.scale.forecast import forecast
from lab.scale.requests import measure_requests
from lab.sets.checks import measure_checks
from lab.sets.compressed import measure_copies
from lab.sets.figures import PUBLISHED_CHECKS, PUBLISHED_COPIES
from lab.sets.report import checks_section, copies_section

COMMENT_COUNT = 300_000
CUSTOMER_ORDERS, QUEUED_ORDERS = 10_000, 100_000
TURNS = 60
SEARCHES = 500
VISITS = 250
IMPORTED_ROWS = 100_000
MOST_TURNS_OF_THROUGHPUT = 6
"""Each takes seconds, where a turn of another part takes as long as a page."""


class Command(BaseCommand):
    """Loads data made for it into an engine of its own, measures, and prints a report."""

    help = (
        "Measure the site's pages on data made for it, in an engine of its own (dynoxide). "
        "The data is kept in var/bench. Let nothing else run meanwhile: it distorts the times."
    )
    requires_system_checks = ()  # neither the site's engine nor its secrets are used

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "parts", nargs="*", metavar="PART", help=f"all of {', '.join(PARTS)}, or some"
        )
        numbers = {
            "comments": COMMENT_COUNT,
            "turns": TURNS,
            "searches": SEARCHES,
            "visits": VISITS,
            "rows": IMPORTED_ROWS,
        }
        for name, number in numbers.items():
            parser.add_argument(
                f"--{name}", type=at_least_one, default=number, metavar="N", help=f"{number}"
            )
        parser.add_argument(
            "--write-docs",
            type=Path,
            metavar="DIR",
            nargs="?",
            const=settings.BASE_DIR / "docs",
            help="bring the documents' figures of copies and checks (in docs) up to date; 'make "
            "readme' then does so with the tables in designs/",
        )
        parser.add_argument("--fresh", action="store_true", help="make and load the data anew")

    def handle(self, **options: Any) -> None:
        for part in options["parts"]:
            if part not in PARTS:
                raise CommandError(f"There is no part “{part}”: choose among {', '.join(PARTS)}.")
        if COMMENTS["READ_MODEL"] != INDEXES:
            raise CommandError("This measures the read model indexes: COMMENTS_READ_MODEL=indexes.")
        # All parts are printed, also after one that is not within its limits.
        is_held = True
        with failures_in_one_line():
            version = engine_version(require_binary())
            self.stdout.write(
                f"Measured on {os.cpu_count()} cores ({platform.system()} {platform.machine()}) "
                f"with Python {platform.python_version()}, Django {django.get_version()} and "
                f"{version}; load average before the start: {os.getloadavg()[0]:.1f}.\n\n"
            )
            for part in options["parts"] or PARTS:
                section = PARTS[part](options, Progress())
                self.stdout.write(f"{section.text()}\n\n")
                is_held = is_held and section.holds
        if not is_held:
            raise CommandError("Something is not as it is held to.")


def _measure_comments(options: Mapping[str, Any], progress: Progress) -> Section:
    data = CommentData(options["comments"])
    answers = CommentAnswers(data.comments())
    path = data_file(data, fresh=options["fresh"], progress=progress)
    with open_site(path) as site:
        lists = comment_lists(answers, site)
        return measure_pages("Pages of comments", lists, turns=options["turns"], progress=progress)


def _measure_api(options: Mapping[str, Any], progress: Progress) -> Section:
    data = CommentData(options["comments"])
    answers = CommentAnswers(data.comments())
    path = data_file(data, fresh=options["fresh"], progress=progress)
    with open_site(path) as site:
        lists = comment_lists(answers, site)
        return measure_api(lists, site, turns=options["turns"], progress=progress)


def _measure_orders(options: Mapping[str, Any], progress: Progress) -> Section:
    data = OrderData(of_customer=CUSTOMER_ORDERS, queued=QUEUED_ORDERS)
    answers = OrderAnswers(data.orders())
    path = data_file(data, fresh=options["fresh"], progress=progress)
    with open_site(path) as site:
        lists = order_lists(answers, site)
        return measure_pages("Pages of orders", lists, turns=options["turns"], progress=progress)


def _measure_grid(options: Mapping[str, Any], progress: Progress) -> Section:
    data = CommentData(options["comments"])
    answers = CommentAnswers(data.comments())
    path = data_file(data, fresh=options["fresh"], progress=progress)
    with open_site(path):
        return measure_grid(answers, list(grid()), progress=progress)


def _measure_words(options: Mapping[str, Any], progress: Progress) -> Section:
    data = WordData(real_reviews())
    comments = list(data.comments())
    path = data_file(data, fresh=options["fresh"], progress=progress)
    with open_site(path):
        return measure_searches(comments, searches=options["searches"], progress=progress)


def _measure_topics(options: Mapping[str, Any], progress: Progress) -> Section:
    return measure_topics(options["comments"], fresh=options["fresh"], progress=progress)


def _measure_peers(options: Mapping[str, Any], progress: Progress) -> Section:
    # Its models are registered with Django, and its driver may be missing: for this part alone.
    from lab.sql_comparison.measuring import measure_peers  # noqa: PLC0415 - needs PostgreSQL

    return measure_peers(
        comments=options["comments"],
        turns=options["turns"],
        visits=options["visits"],
        fresh=options["fresh"],
        progress=progress,
    )


def _measure_throughput(options: Mapping[str, Any], progress: Progress) -> Section:
    from lab.sql_comparison.throughput import measure_throughput  # noqa: PLC0415 - the same

    return measure_throughput(
        comments=options["comments"],
        turns=min(options["turns"], MOST_TURNS_OF_THROUGHPUT),
        fresh=options["fresh"],
        progress=progress,
    )


def _measure_scale(_options: Mapping[str, Any], progress: Progress) -> Section:
    return forecast(measure_requests(progress))


def _measure_imports(options: Mapping[str, Any], progress: Progress) -> Section:
    return measure_imports(options["rows"], progress)


def _measure_copies(options: Mapping[str, Any], progress: Progress) -> Section:
    figures = measure_copies(
        turns=options["turns"], fresh=options["fresh"], now=now(), progress=progress
    )
    if options["write_docs"]:
        _publish(options["write_docs"] / PUBLISHED_COPIES, figures.as_json())
    return copies_section(figures)


def _measure_checks(options: Mapping[str, Any], progress: Progress) -> Section:
    figures = measure_checks(now=now(), progress=progress)
    if options["write_docs"]:
        _publish(options["write_docs"] / PUBLISHED_CHECKS, figures.as_json())
    return checks_section(figures)


def _publish(path: Path, figures: str) -> None:
    path.write_text(f"{figures}\n", encoding="utf-8")


PARTS: Mapping[str, Callable[[Mapping[str, Any], Progress], Section]] = {
    "comments": _measure_comments,
    "api": _measure_api,
    "orders": _measure_orders,
    "grid": _measure_grid,
    "words": _measure_words,
    "topics": _measure_topics,
    "imports": _measure_imports,
    "peers": _measure_peers,
    "throughput": _measure_throughput,
    "scale": _measure_scale,
    "copies": _measure_copies,
    "checks": _measure_checks,
}
