"""What an import of comments tells at its end, in words and in figures."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pycountry

from comments.data.run import ImportReport
from comments.filters import RATINGS, is_language, language_name
from shop.data.files.records import RejectsFile

_TABLE = tomllib.loads(Path(__file__).with_name("countries.toml").read_text("utf-8"))
SPOKEN: dict[str, str] = dict(pair.split(":") for pair in _TABLE["spoken"].split())
"""What is spoken in each country whose code is that of a language of elsewhere."""
SELDOM: frozenset[str] = frozenset(_TABLE["seldom"].split())
"""Those of them whose language is seldom written in reviews."""
_LANGUAGES_SHOWN = 12


def counts_of(report: ImportReport) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them."""
    findings = report.findings
    return {
        "rows": report.rows,
        "read": report.read,
        "rejected": report.rejected,
        "skipped": report.skipped,
        "written": report.written,
        **asdict(report.verdicts),
        "products_created": report.products_created,
        "languages": dict(_by_language(report).most_common()),
        "country_codes": taken_for_languages(findings.spelled),
        "guessed_languages": findings.guessed_languages,
        "made_ids": findings.made_ids,
        "rounded_ratings": findings.rounded_ratings,
        "dated_by_month": findings.dated_by_month,
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
    would_be = (
        "Compared with what is stored: {new:,} new, {replaced:,} to be replaced, {unchanged:,} "
        "unchanged, {superseded:,} superseded by newer versions."
    ).format_map(counts_of(report))
    if not report.is_compared:
        would_be = "It was not compared with what is stored: the database does not answer."
    lines = [f"{_rows(report)} Nothing was written.", would_be, *_remarks(report)]
    if report.rejected:
        lines += ["", "The first rejected rows:", *rejects.first()]
    return "\n".join([*lines, "", *_table(report)])


def _rows(report: ImportReport) -> str:
    spelling = f" ({report.spelling})" if report.spelling else ""
    skipped = f", {report.skipped:,} skipped" if report.skipped else ""
    return (
        f"{report.rows:,} rows: {report.read:,} read, {report.rejected:,} rejected{skipped}"
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
    )
    for number, sentence in remarks:
        if number:
            yield sentence.format(number)
    if warning := warning_about(findings.spelled):
        yield warning
    if collided := report.verdicts.collided:
        yield (
            f"Rows with the id of a comment that is not another version of them: {collided:,}. If "
            f"it is of another source, --id-prefix keeps the two apart."
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
