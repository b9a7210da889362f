"""What an import of comments tells at its end, in words and in figures."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

from comments.filters import RATINGS
from comments.imports.countries import taken_for_languages, warning_about
from comments.imports.run import ImportReport
from comments.languages import language_name
from dynamo.files.rejects import RejectsFile

REJECTS_SHOWN = 10
_LANGUAGES_SHOWN = 12


def counts_of(report: ImportReport) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them.

    Read and rejected rows are all rows; new, replaced, unchanged and superseded ones those read.
    Moved comments are some of those replaced.
    """
    findings = report.findings
    return {
        "rows": report.rows,
        "read": report.read,
        "rejected": report.rejected,
        "written": report.written,
        **asdict(report.verdicts),
        "products_created": report.products_created,
        "languages": dict(_by_language(report).most_common()),
        "country_codes": taken_for_languages(findings.spelled),
        "guessed_languages": findings.guessed_languages,
        "made_ids": findings.made_ids,
        "rounded_ratings": findings.rounded_ratings,
        "mapped_products": len(findings.products),
        "spelling": report.spelling,
    }


def prose_of(report: ImportReport) -> str:
    """Return the sentences that an import prints."""
    written = (
        "{written:,} written ({new:,} new, {replaced:,} replaced), {unchanged:,} unchanged, "
        "{superseded:,} superseded by newer versions. Products created: {products_created:,}."
    ).format_map(counts_of(report))
    return "\n".join([_rows(report), written, *_remarks(report)])


def trial_of(report: ImportReport, rejects: RejectsFile) -> str:
    """Return what a trial prints: rejected rows, and how many rows of each language and rating."""
    lines = [f"{_rows(report)} Nothing was written.", *_remarks(report)]
    if report.rejected:
        lines += ["", "The first rejected rows:", *_first(rejects)]
    return "\n".join([*lines, "", *_table(report)])


def _rows(report: ImportReport) -> str:
    spelling = f" ({report.spelling})" if report.spelling else ""
    return f"{report.rows:,} rows: {report.read:,} read, {report.rejected:,} rejected{spelling}."


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
        (len(findings.products), "Ids of products that were mapped to allowed ones: {:,}."),
    )
    for number, sentence in remarks:
        if number:
            yield sentence.format(number)
    if warning := warning_about(findings.spelled):
        yield warning


def _by_language(report: ImportReport) -> Counter[str]:
    found: Counter[str] = Counter()
    for (language, _), number in report.findings.cells.items():
        found[language] += number
    return found


def _first(rejects: RejectsFile) -> Iterator[str]:
    with rejects.path.open(encoding="utf-8", newline="") as file:
        for row in islice(csv.DictReader(file), REJECTS_SHOWN):
            named = f", {row['id']}" if row["id"] else ""
            yield f"  line {row['line']}{named}: {row['reason']}"


def _table(report: ImportReport) -> Iterator[str]:
    cells = report.findings.cells
    yield "language" + " " * 12 + "".join(f"{rating:>9}" for rating in RATINGS) + f"{'all':>9}"
    for language, number in _by_language(report).most_common():
        named = f"{language} {language_name(language)}"[:19]
        counts = "".join(f"{cells[language, rating]:>9,}" for rating in RATINGS)
        yield f"{named:<20}{counts}{number:>9,}"
