"""An import of comments from a file, in two passes, and what it tells at its end.

The passes are those of `dynapages.files.two_passes`.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pycountry

from comments.data.rows import ADDRESS, CommentParser, Findings, Shape
from comments.data.writer import BulkWriter, Change, Verdict, VerdictCounts, in_chunks
from comments.filters import RATINGS, is_language, language_name
from comments.items import NewComment
from comments.store.counts import Cell
from dynapages.calls import Units, units_of_process
from dynapages.django.options import Progress
from dynapages.files.records import Record, Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile
from dynapages.files.two_passes import TwoPassImport, Version
from dynapages.files.values import Skipped
from dynapages.pynamodb import FAILURES

EnsureProducts = Callable[..., int]
"""What creates missing products: `comments.host.Products.add_missing`."""
_TABLE = tomllib.loads(Path(__file__).with_name("countries.toml").read_text("utf-8"))
SPOKEN: dict[str, str] = dict(pair.split(":") for pair in _TABLE["spoken"].split())
"""What is spoken in each country whose code is that of a language of elsewhere."""
SELDOM: frozenset[str] = frozenset(_TABLE["seldom"].split())
"""Those of them whose language is seldom written in reviews."""
_LANGUAGES_SHOWN = 12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Joined(Protocol):
    """What a file's rows are joined to, which adds ``columns``: such as orders."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def rows_of(self, row: Record) -> Iterable[Record | Rejected]:
        """Return the rows of comments that a row of the file becomes."""
        ...


@dataclass(frozen=True, slots=True)
class CommentFile:
    """A file of comments, and how to parse it; its rows may be ``joined`` to others."""

    file: RowFile
    shape: Shape
    now: datetime
    joined: Joined | None = None

    def parse(
        self, found: OpenRows, findings: Findings
    ) -> Iterator[NewComment | Rejected | Skipped]:
        """Parse rows. Raises BadMapping for columns that are missing."""
        added = self.joined.columns if self.joined else ()
        shape = self.shape
        if found.are_columns_known:
            shape = shape.among((*found.columns, *added))
        parser = CommentParser(shape, self.now, findings)
        for row in self._rows(found.rows):
            yield parser.read(row) if isinstance(row, Record) else row
        if found.columns:  # an empty file of JSON has none
            self.shape.among((*found.columns, *added))

    def _rows(
        self, rows: Iterator[Record | Rejected | Skipped]
    ) -> Iterator[Record | Rejected | Skipped]:
        for row in rows:
            if self.joined is None or not isinstance(row, Record):
                yield row
            else:
                yield from self.joined.rows_of(row)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts of rows, in ``passes``; the verdicts are about all that were read.

    ``findings`` are too; ``cells`` are the languages and ratings of those that are not superseded.
    Of a trial the verdicts are what would be, if it was compared with what is stored: there may be
    no database yet. ``left`` are changes whose postings or ranks could not be written yet.
    ``units`` are those of all reads and writes.
    """

    passes: TwoPassImport[NewComment]
    verdicts: VerdictCounts
    cells: Counter[Cell]
    products_created: int
    findings: Findings
    is_trial: bool = False
    is_compared: bool = True
    left: int = 0
    units: Units = field(default_factory=Units)

    @property
    def written(self) -> int:
        return 0 if self.is_trial else self.verdicts.new + self.verdicts.replaced


def import_file(
    source: CommentFile,
    *,
    writer: BulkWriter,
    ensure_products: EnsureProducts,
    rejects: RejectsFile,
    progress: Progress,
    is_trial: bool = False,
) -> ImportReport:
    """Write a file's comments, and its rejected rows to ``rejects``; a trial writes no comments.

    ``ensure_products`` is called with ids of products before comments on them are written, and
    the file's ids by those they were mapped to; it returns how many it created. Raises
    FileUnreadable, BadMapping and RejectsUnwritable before anything is written.
    """
    findings = [Findings(), Findings()]
    of_pass = iter(findings)
    passes = TwoPassImport(
        source.file, lambda found: source.parse(found, next(of_pass)), version_of
    )
    with rejects:
        passes.check(rejects, progress)
    verdicts, cells = VerdictCounts(), Counter[Cell]()
    products = _Products(ensure_products, findings[0].products, findings[1])
    label, is_compared = "Comparing" if is_trial else "Writing", True
    with units_of_process() as units:
        with progress.step(label, total=passes.read, unit=" rows") as advance:
            for chunk in in_chunks(products.noted(passes.winning())):
                if not is_trial:
                    changes = writer.put(chunk, prepare=products.ensure)
                elif is_compared:
                    changes, is_compared = _compared(writer, chunk)
                if is_compared:
                    verdicts += VerdictCounts.of(changes)
                    cells.update(c.cell for c in changes if c.verdict is not Verdict.SUPERSEDED)
                else:
                    cells.update((one.language, one.rating) for one in chunk)
                advance(len(chunk))
            advance(passes.superseded)
        left = 0 if is_trial else writer.finish(progress)
    return ImportReport(
        passes=passes,
        verdicts=verdicts + VerdictCounts(superseded=passes.superseded),
        cells=cells,
        products_created=products.created,
        findings=findings[0],
        is_trial=is_trial,
        is_compared=is_compared,
        left=left,
        units=units,
    )


def _compared(writer: BulkWriter, chunk: Sequence[NewComment]) -> tuple[list[Change], bool]:
    """Return what comments would change, and whether there is a database that tells."""
    try:
        return writer.compare(chunk), True
    except FAILURES:
        return [], False


@dataclass(slots=True)
class _Products:
    """The products of comments that are written, each of which is created once if it is missing."""

    create: EnsureProducts
    mapped: Mapping[str, str]
    findings: Findings
    created: int = 0
    ensured: set[str] = field(default_factory=set)
    before: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def noted(self, winning: Iterable[NewComment]) -> Iterator[NewComment]:
        """Yield comments; what rows that do not win call products is not noted."""
        for comment in winning:
            if name := self.findings.product_name:
                self.names[comment.product_id] = name
            if before := self.findings.product_before:
                self.before[comment.product_id] = before
            yield comment

    def ensure(self, product_ids: set[str]) -> None:
        if new := product_ids - self.ensured:
            originals = {**self.before, **self.mapped}
            self.created += self.create(sorted(new), originals=originals, names=self.names)
            self.ensured |= new


def version_of(comment: NewComment) -> Version:
    """Return a comment's id and its date in microseconds since 1970."""
    return comment.id, (comment.created_at - _EPOCH) // timedelta(microseconds=1)


def counts_of(report: ImportReport) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them."""
    passes, findings = report.passes, report.findings
    return {
        "rows": passes.rows,
        "read": passes.read,
        "rejected": passes.rejected,
        "skipped": passes.skipped,
        "written": report.written,
        **asdict(report.verdicts),
        "products_created": report.products_created,
        "left": report.left,
        "units": report.units.counted,
        "amazon_units": report.units.amazon,
        "languages": dict(_by_language(report).most_common()),
        "country_codes": taken_for_languages(findings.spelled),
        "guessed_languages": findings.guessed_languages,
        "made_ids": findings.made_ids,
        "rounded_ratings": findings.rounded_ratings,
        "dated_by_month": findings.dated_by_month,
        "mapped_products": len(findings.products),
        "private_replies": findings.left_out["reply"],
        "anonymous_authors": findings.left_out["author"],
        "addresses_of_authors": findings.left_out[ADDRESS],
        "spelling": passes.detected,
    }


def prose_of(report: ImportReport) -> str:
    """Return the sentences that an import prints."""
    written = (
        "{written:,} written ({new:,} new, {replaced:,} replaced), {unchanged:,} unchanged, "
        "{superseded:,} superseded by newer versions. Products created: {products_created:,}."
    ).format_map(counts_of(report))
    units = f"Reads and writes: {report.units}."
    return "\n".join([_rows(report), written, units, *_remarks(report)])


def trial_of(report: ImportReport, rejects: RejectsFile) -> str:
    """Return what a trial prints: rejected rows, and how many rows of each language and rating."""
    would_be = (
        "Compared with what is stored: {new:,} new, {replaced:,} to be replaced, {unchanged:,} "
        "unchanged, {superseded:,} superseded by newer versions."
    ).format_map(counts_of(report))
    if not report.is_compared:
        would_be = "It was not compared with what is stored: the database does not answer."
    lines = [f"{_rows(report)} Nothing was written.", would_be, *_remarks(report)]
    if report.passes.rejected:
        lines += ["", "The first rejected rows:", *rejects.first()]
    return "\n".join([*lines, "", *_table(report)])


def _rows(report: ImportReport) -> str:
    passes = report.passes
    spelling = f" ({passes.detected})" if passes.detected else ""
    skipped = f", {passes.skipped:,} skipped" if passes.skipped else ""
    return (
        f"{passes.rows:,} rows: {passes.read:,} read, {passes.rejected:,} rejected{skipped}"
        f"{spelling}."
    )


def _remarks(report: ImportReport) -> Iterator[str]:
    findings = report.findings
    if languages := _by_language(report):
        shown = [f"{code} {number:,}" for code, number in languages.most_common(_LANGUAGES_SHOWN)]
        more = f" and {len(languages) - len(shown)} more" if len(languages) > len(shown) else ""
        yield f"Languages: {', '.join(shown)}{more}."
    remarks = (
        (report.verdicts.moved, "Replaced comments that were moved from other products: {:,}."),
        (findings.guessed_languages, "Rows whose language was guessed: {:,}."),
        (findings.made_ids, "Rows without an id, which got one: {:,}."),
        (findings.rounded_ratings, "Rows whose rating was rounded: {:,}."),
        (
            findings.dated_by_month,
            "Rows dated to the first of a month, because a date has no day: {:,}.",
        ),
        (len(findings.products), "Ids of products that were mapped to allowed ones: {:,}."),
        (findings.left_out["reply"], "Replies that are not public, which were left out: {:,}."),
        (
            findings.left_out["author"],
            "Names of authors who are anonymous, which were left out: {:,}.",
        ),
        (
            findings.left_out[ADDRESS],
            "Names of authors that are e-mail addresses, which were left out: {:,}.",
        ),
    )
    for number, sentence in remarks:
        if number:
            yield sentence.format(number)
    if warning := warning_about(findings.spelled):
        yield warning
    if report.left:
        yield left_behind(report)
    if collided := report.verdicts.collided:
        yield (
            f"Rows with the id of a comment that is not another version of them: {collided:,}. If "
            f"it is of another source, --id-prefix keeps the two apart."
        )


def left_behind(report: ImportReport) -> str:
    """Return the sentence about changes that could not be finished; empty where there are none."""
    if not report.left:
        return ""
    return (
        f"{report.left:,} changes are not finished: searches are right, but slower, and ranks may "
        f"be old. A process of the site, or “manage.py work”, goes on with them; so does the same "
        f"import."
    )


def _by_language(report: ImportReport) -> Counter[str]:
    found: Counter[str] = Counter()
    for (language, _), number in report.cells.items():
        found[language] += number
    return found


def _table(report: ImportReport) -> Iterator[str]:
    cells = report.cells
    yield "language" + " " * 12 + "".join(f"{rating:>9}" for rating in RATINGS) + f"{'all':>9}"
    for language, number in _by_language(report).most_common():
        named = f"{language} {language_name(language)}"[:19]
        counts = "".join(f"{cells[language, rating]:>9,}" for rating in RATINGS)
        yield f"{named:<20}{counts}{number:>9,}"


def taken_for_languages(spelled: Iterable[str]) -> list[str]:
    """Return the codes of a file's languages that are probably countries, as it spells them."""
    found = sorted(set(spelled))
    unknown = [code.upper() for code in found if not is_language(code.lower())]
    are_countries = any(code.isupper() for code in found) or any(
        pycountry.countries.get(alpha_2=code) for code in unknown
    )
    suspects = SPOKEN.keys() if are_countries else SELDOM
    return [code for code in found if code.lower() in suspects]


def warning_about(spelled: Iterable[str]) -> str:
    """Return a sentence about the codes that are probably countries; empty where there are none."""
    codes = taken_for_languages(spelled)
    if not codes:
        return ""
    named = ", ".join(f"{code} ({language_name(code.lower())})" for code in codes)
    mapped = ",".join(f"{code.lower()}={SPOKEN[code.lower()]}" for code in codes)
    return (
        f"These languages look like codes of countries: {named}. If they are, import again with "
        f"--language-map {mapped}, or what is spoken there."
    )
