"""The report of an import of orders, made of its `shop.data.run.ImportResult`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.urls import reverse

from dynapages.files.rejects import RejectsFile
from dynapages.files.reports import WITHOUT_DRY_RUN, ImportReport, first_rejected, in_brackets
from shop.data.imported_products import Outcome
from shop.data.run import ImportResult
from shop.data.survey import SurveyResult
from shop.order_status import Status
from shop.orders.importing import OrderOutcome


def report_of(result: ImportResult, rejects: RejectsFile) -> ImportReport:
    """Build the report of an import, or of a trial."""
    counts = _counts(result)
    if result.is_trial:
        sentences = _sentences_of_trial(result, rejects)
        then = WITHOUT_DRY_RUN
    else:
        sentences = _sentences(result, counts)
        then = f"Next: sign in as staff, and see them at {reverse('staff_orders')}."
    return ImportReport(counts, sentences, then)


def _counts(result: ImportResult) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them."""
    survey = result.survey
    statuses = survey.statuses
    files: dict[str, dict[str, Any]] = {}
    for name, counts in result.files.items():
        files[name] = {**asdict(counts), "read": counts.read}
    return {
        "files": files,
        "orders": {
            "created": result.orders[OrderOutcome.CREATED],
            "updated": result.orders[OrderOutcome.UPDATED],
            "unchanged": result.orders[OrderOutcome.UNCHANGED],
            "without_items": result.without_items,
        },
        "statuses": {status.value: statuses[status] for status in Status},
        "users": {"named": result.users, "created": result.users_created},
        "products": result.products.total(),
        "products_created": result.products[Outcome.CREATED],
        "products_updated": result.products[Outcome.UPDATED],
        "mapped": result.mapped,
        "returned_lines": survey.returned_lines,
        "orders_of_returns": survey.orders_of_returns,
        "decimal_found": survey.assumed_decimal,
        "rounded_amounts": survey.amounts.rounded,
        "html_rows": survey.html_rows,
        "hint": survey.amounts.hint or None,
    }


def _sentences(result: ImportResult, counts: dict[str, Any]) -> list[str]:
    """Return what an import that has written prints, line by line."""
    sentences = [
        *_rows(result),
        "Orders: {created:,} created, {updated:,} updated, {unchanged:,} unchanged; "
        "{without_items:,} of them without items.".format_map(counts["orders"]),
        "Customers: {named:,}, of whom {created:,} are new.".format_map(counts["users"]),
        "Products: {products:,}; {products_created:,} of them are new, "
        "{products_updated:,} updated.".format_map(counts),
    ]
    if result.mapped:
        sentences.append(f"Ids and names that were mapped: {result.mapped:,}.")
    return [*sentences, *_remarks(result.survey)]


def _sentences_of_trial(result: ImportResult, rejects: RejectsFile) -> list[str]:
    """Return what a trial prints, line by line."""
    statuses: list[str] = []
    for status, number in sorted(result.survey.statuses.items()):
        statuses.append(f"{number:,} {status.value}")
    orders = f"Orders: {', '.join(statuses) or 'none'}. Nothing was written."
    return [*_rows(result), orders, *_remarks(result.survey), *first_rejected(rejects)]


def _rows(result: ImportResult) -> Iterator[str]:
    """Yield a sentence with the numbers of rows for each file."""
    for name, counts in result.files.items():
        skipped = f", {counts.skipped:,} skipped" if counts.skipped else ""
        yield (
            f"{name}: {counts.rows:,} rows, {counts.read:,} read, {counts.rejected:,} rejected"
            f"{skipped}{in_brackets(counts.spelling)}."
        )


def _remarks(survey: SurveyResult) -> Iterator[str]:
    """Yield sentences about what was assumed, and what was left out."""
    if survey.assumed_decimal:
        mark = survey.assumed_decimal
        yield f"Unclear amounts were read as the others, with decimals after “{mark}”."
    if survey.amounts.rounded:
        yield sentence_of_rounding(survey.amounts.rounded)
    if survey.html_rows:
        yield sentence_of_html(survey.html_rows)
    if survey.amounts.hint:
        yield survey.amounts.hint
    if survey.returned_lines:
        others = f"orders that have no others: {survey.orders_of_returns:,}"
        yield f"Returned lines, which were skipped: {survey.returned_lines:,}; {others}."


def sentence_of_rounding(amounts: int) -> str:
    """Return a sentence about so many amounts."""
    return f"Amounts with fractions of a cent, which were rounded: {amounts:,}."


def sentence_of_html(rows: int) -> str:
    """Return a sentence about so many rows."""
    return f"Rows whose HTML became plain text: {rows:,}; --keep-html keeps it."
