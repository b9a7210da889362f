"""``manage.py bench``: speed and cost of the site's pages, with tables and plots.

``bench storm`` and ``bench load`` measure what holds when calls fail and visitors are too many.
``bench grid --hostile`` looks for the dearest page of comments, ``bench words`` searches real ones,
``bench searches`` walks through the pages of random searches.
"""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.host import COMMENTS
from comments.lists.queries import INDEXES
from dynapages.django.options import Progress, at_least_one, failures_in_one_line
from lab.bench.hostile import hostile_section, measure_hostile_lists
from lab.bench.run import GRID, PARTS, SKIPPED, Options, run_benchmarks, sections_of
from lab.bench.searches import SEARCHES, measure_searches, searches_section
from lab.bench.throughput import load_section, measure_load
from lab.bench.words import measure_words, words_section
from lab.reports.results import Results
from lab.reports.tables import Section, require_matplotlib, write_sections
from lab.storm.run import KILLABLE, StormOptions, run_storm, storm_section

STORM, LOAD, WORDS, RANDOM = ALONE = ("storm", "load", "words", "searches")
"""Parts that are measured alone."""
HOSTILE_PAGES = 3_000
COUNTS = {"comments": Options.comments, "turns": Options.turns}


class Command(BaseCommand):
    """Loads data made for it into an engine of its own, measures, and writes a report."""

    help = (
        "Measure the site's pages on data made for it, in an engine of its own (dynoxide). "
        "The data is kept in var/bench. Let nothing else run meanwhile: it distorts the times."
    )
    requires_system_checks = ()  # neither the site's engine nor its secrets are used

    def add_arguments(self, parser: CommandParser) -> None:
        parts = f"all of {', '.join(PARTS)}; or {' or '.join(ALONE)}"
        parser.add_argument("parts", nargs="*", metavar="PART", help=parts)
        for name, count in COUNTS.items():
            parser.add_argument(
                f"--{name}", type=at_least_one, default=count, metavar="N", help=f"{count}"
            )
        parser.add_argument("--seconds", type=float, default=Options.seconds, metavar="S", help="4")
        parser.add_argument("--rate", type=float, default=0.05, help="of storm: 0.05 of the calls")
        parser.add_argument(
            "--lag", type=float, default=0.0, metavar="S", help="of storm: eventual reads lag 0 s"
        )
        parser.add_argument("--kill", default="", help=f"of storm: any of {','.join(KILLABLE)}")
        parser.add_argument("--seed", type=int, default=1, help="of storm and searches: 1")
        parser.add_argument(
            "--searches",
            type=at_least_one,
            default=SEARCHES,
            metavar="N",
            help=f"of searches: {SEARCHES}",
        )
        parser.add_argument(
            "--every",
            type=at_least_one,
            default=1,
            metavar="N",
            help="of searches: have each N-th review alone",
        )
        parser.add_argument(
            "--hostile",
            type=at_least_one,
            nargs="?",
            const=HOSTILE_PAGES,
            metavar="PAGES",
            help=f"of grid: open pages of badly distributed comments ({HOSTILE_PAGES:,})",
        )
        parser.add_argument("--fresh", action="store_true", help="make and load the data anew")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON lines")
        parser.add_argument(
            "--output",
            type=Path,
            default=settings.BASE_DIR / "docs",
            metavar="DIR",
            help="where benchmarks.md and benchmarks/*.svg are brought up to date (docs)",
        )

    def handle(self, **options: Any) -> None:
        if len(options["parts"]) == 1 and options["parts"][0] in ALONE:
            self._measure_alone(options["parts"][0], options)
            return
        if options["hostile"]:
            self._measure_hostile_lists(options)
            return
        if COMMENTS["READ_MODEL"] != INDEXES:
            sentence = "This measures the read model indexes: set COMMENTS_READ_MODEL=indexes."
            raise CommandError(f"{sentence} 'manage.py compare' measures other designs.")
        given = {name: options[name] for name in ("comments", "turns", "seconds", "fresh")}
        wanted = Options(_parts(options["parts"]), **given)
        with failures_in_one_line():
            require_matplotlib()  # before the measuring, which takes minutes
            found = run_benchmarks(wanted, progress=Progress(shown=not options["json"]))
        for row in found.where(metric=SKIPPED):
            self.stderr.write(f"The part {row.part} is skipped: {row.value}")
        sections = sections_of(found)
        written = write_sections(options["output"] / "benchmarks.md", sections, command="bench")
        if options["json"]:
            self.stdout.write(found.as_lines().rstrip())
        else:
            text = "\n\n".join(section.text() for section in sections)
            self.stdout.write("\n".join([text, "", *(f"wrote {path}" for path in written)]))

    def _measure_alone(self, part: str, options: dict[str, Any]) -> None:
        progress, seconds = Progress(shown=True), options["seconds"]
        with failures_in_one_line():
            if part == LOAD:
                found = Results(measure_load(seconds=seconds, progress=progress))
                section = load_section(found)
            elif part == WORDS:
                found = Results(measure_words(fresh=options["fresh"], progress=progress))
                section = words_section(found)
            elif part == RANDOM:
                found = Results(
                    measure_searches(
                        searches=options["searches"],
                        every=options["every"],
                        seed=options["seed"],
                        fresh=options["fresh"],
                        progress=progress,
                    )
                )
                section = searches_section(found)
            else:
                kill = _killed(options["kill"])
                asked = StormOptions(
                    seconds,
                    options["rate"],
                    kill=kill,
                    seed=options["seed"],
                    lag_seconds=options["lag"],
                )
                found = run_storm(asked, progress=progress)
                section = storm_section(found, read_model=COMMENTS["READ_MODEL"])
        figures = found if options["json"] else None
        page = options["output"] / "benchmarks.md"
        self._report(section, page, command=f"bench {part}", figures=figures)

    def _measure_hostile_lists(self, options: dict[str, Any]) -> None:
        if options["parts"] != [GRID]:
            raise CommandError("--hostile is of the part grid alone: bench grid --hostile")
        with failures_in_one_line():
            found = measure_hostile_lists(
                count=Options.seasonal,
                pages=options["hostile"],
                fresh=options["fresh"],
                progress=Progress(shown=True),
            )
            section = hostile_section(Results(found))
        self._report(section, options["output"] / "benchmarks.md", command="bench grid --hostile")

    def _report(
        self, section: Section, page: Path, *, command: str, figures: Results | None = None
    ) -> None:
        """Write a section, and print it, or the ``figures`` as JSON lines where they are given."""
        write_sections(page, [section], command=command)
        if figures is None:
            self.stdout.write(f"{section.text()}\n\nwrote {page}")
        else:
            self.stdout.write(figures.as_lines().rstrip())
        if not section.holds:
            raise CommandError("Something is not as it is held to.")


def _killed(names: str) -> tuple[str, ...]:
    kinds = tuple(filter(None, names.split(",")))
    if unknown := set(kinds) - set(KILLABLE):
        message = f"“{', '.join(unknown)}” cannot be killed: choose among {', '.join(KILLABLE)}."
        raise CommandError(message)
    return kinds


def _parts(names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in PARTS:
            raise CommandError(f"There is no part “{name}”: choose among {', '.join(PARTS)}.")
    return tuple(names) or PARTS
