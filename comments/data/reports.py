"""The report of an import of comments, made of its `comments.data.run.ImportResult`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from comments.data.country_codes import probable_countries, warning_about_countries
from comments.data.rows import ADDRESS
from comments.data.run import ImportResult
from comments.filters import RATINGS, language_name
from comments.items import NewState
from dynapages.django.text_tables import format_table
from dynapages.files.rejects import RejectsFile
from dynapages.files.reports import WITHOUT_DRY_RUN, ImportReport, first_rejected, in_brackets

_LANGUAGES_SHOWN = 12


def report_of(result: ImportResult, rejects: RejectsFile) -> ImportReport:
    """Build the report of an import, or of a trial."""
    counts = _counts(result)
    # A trial shows more, such as rejected rows: its reader is to correct the file.
    if result.is_trial:
        sentences = _sentences_of_trial(result, counts, rejects)
    else:
        sentences = _sentences(result, counts)
    return ImportReport(counts, sentences, _then(result))


def _then(result: ImportResult) -> str:
    """Return what to do next, once all rows are read; empty where that cannot be said."""
    part = result.passes.part
    if result.is_trial:
        return WITHOUT_DRY_RUN
    if not part.is_whole:
        return f"Next: import the other parts of {part.of}, unless that is done."
    if result.product_url:
        return f"Next: look at them, for example at {result.product_url}."
    return ""


def unfinished(result: ImportResult) -> str:
    """Return the sentence about changes that could not be finished; empty where there are none."""
    if not result.unfinished:
        return ""
    return (
        f"{result.unfinished:,} changes are not finished: searches are right, but slower, and "
        f"ranks may be old. A process of the site, or “manage.py work”, goes on with them; so does "
        f"the same import."
    )


def _counts(result: ImportResult) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them."""
    passes, findings = result.passes, result.findings
    return {
        "rows": passes.rows,
        "read": passes.read,
        "rejected": passes.rejected,
        "skipped": passes.skipped,
        "written": result.written,
        # By the names that the sentences below have in braces.
        **asdict(result.verdicts),
        "resumed": result.resumed,
        "products_created": result.products_created,
        "left": result.unfinished,
        "units": result.units.counted,
        "amazon_units": result.units.amazon,
        "calls": result.units.calls,
        "languages": dict(_by_language(result).most_common()),
        "country_codes": probable_countries(findings.language_codes),
        "guessed_languages": findings.guessed_languages,
        "made_ids": findings.made_ids,
        "rounded_ratings": findings.rounded_ratings,
        "html_rows": findings.html_rows,
        "dated_by_month": findings.dated_by_month,
        "mapped_products": len(findings.products),
        "hidden": findings.states[NewState.HIDDEN],
        "held": findings.states[NewState.HELD],
        "rows_with_pictures": findings.with_pictures,
        "private_replies": findings.left_out["reply"],
        "anonymous_authors": findings.left_out["author"],
        "addresses_of_authors": findings.left_out[ADDRESS],
        "spelling": passes.detected,
    }


def _sentences(result: ImportResult, counts: dict[str, Any]) -> list[str]:
    """Return what an import that has written prints, line by line."""
    written = (
        "{written:,} written ({new:,} new, {replaced:,} replaced), {unchanged:,} unchanged, "
        "{superseded:,} superseded by newer versions. Products created: {products_created:,}."
    )
    units = f"Reads and writes: {result.units}."
    return [_rows(result), written.format_map(counts), units, *_remarks(result)]


def _sentences_of_trial(
    result: ImportResult, counts: dict[str, Any], rejects: RejectsFile
) -> list[str]:
    """Return what a trial prints, line by line."""
    comparison = "It was not compared with what is stored: the database does not answer."
    if result.is_compared:
        comparison = (
            "Compared with what is stored: {new:,} new, {replaced:,} to be replaced, "
            "{unchanged:,} unchanged, {superseded:,} superseded by newer versions."
        ).format_map(counts)
    lines = [f"{_rows(result)} Nothing was written.", comparison, *_remarks(result)]
    rejected = first_rejected(rejects)
    if rejected:
        lines += ["", *rejected]
    return [*lines, "", _table(result)]


def _rows(result: ImportResult) -> str:
    """Return the sentence with the numbers of rows that were read, rejected and skipped."""
    passes = result.passes
    sentence = f"{passes.rows:,} rows: {passes.read:,} read, {passes.rejected:,} rejected"
    if passes.skipped:
        sentence += f", {passes.skipped:,} skipped"
    # How the file is written, if not in UTF-8 with commas.
    return f"{sentence}{in_brackets(passes.detected)}."


def _remarks(result: ImportResult) -> Iterator[str]:
    """Yield a sentence for each thing that was found in rows, such as guessed languages."""
    findings = result.findings
    languages = _by_language(result)
    if languages:
        shown = [f"{code} {number:,}" for code, number in languages.most_common(_LANGUAGES_SHOWN)]
        further = len(languages) - len(shown)
        more = ""
        if further:
            more = f" and {further} more"
        yield f"Languages: {', '.join(shown)}{more}."
    remarks = (
        (
            result.resumed,
            "Rows that the run before had written, and which were not compared: {:,}.",
        ),
        (result.verdicts.moved, "Replaced comments that were moved from other products: {:,}."),
        (findings.guessed_languages, "Rows whose language was guessed: {:,}."),
        (findings.made_ids, "Rows without an id, which got one: {:,}."),
        (findings.rounded_ratings, "Rows whose rating was rounded: {:,}."),
        (findings.html_rows, "Rows whose HTML became plain text: {:,}; --keep-html keeps it."),
        (
            findings.dated_by_month,
            "Rows dated to the first of a month, because a date has no day: {:,}.",
        ),
        (len(findings.products), "Ids of products that were mapped to allowed ones: {:,}."),
        (
            findings.states[NewState.HIDDEN],
            "Rows that are hidden, which are shown to staff alone: {:,}.",
        ),
        (findings.states[NewState.HELD], "Rows that are held, which wait for staff: {:,}."),
        (findings.with_pictures, "Rows with pictures, which are not kept: {:,}."),
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
    warning = warning_about_countries(findings.language_codes)
    if warning:
        yield warning
    if result.unfinished:
        yield unfinished(result)
    collided = result.verdicts.collided
    if collided:
        yield (
            f"Rows with the id of a comment that is not another version of them: {collided:,}. If "
            f"it is of another source, --id-prefix keeps the two apart."
        )


def _by_language(result: ImportResult) -> Counter[str]:
    numbers: Counter[str] = Counter()
    for (language, _), number in result.cells.items():
        numbers[language] += number
    return numbers


def _table(result: ImportResult) -> str:
    """Return a table: how many rows there are of each language and rating."""
    rows = []
    for language, number in _by_language(result).most_common():
        name = f"{language} {language_name(language)}"
        counts = [result.cells[language, rating] for rating in RATINGS]
        rows.append((name, *counts, number))
    titles = ("language", *(str(rating) for rating in RATINGS), "all")
    return format_table(titles, rows)
