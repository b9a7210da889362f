"""What an import of orders found and did, in figures and in words."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from dynamo.files.rejects import RejectsFile
from shop.imports.found import FileCounts
from shop.imports.loading import LoadReport
from shop.imports.products import Outcome
from shop.order_status import Status
from shop.orders.bulk import OrderOutcome

REJECTS_SHOWN = 10


@dataclass(slots=True)
class ImportReport:
    """The numbers of rows of each file, of orders by status, and what became of them.

    ``loaded`` stays empty in a trial.
    """

    files: dict[str, FileCounts]
    statuses: Counter[Status]
    loaded: LoadReport = field(default_factory=LoadReport)

    def add(self, loaded: LoadReport) -> None:
        """Add what was written, and the rows that were rejected only then."""
        self.loaded = loaded
        for file, taken in loaded.taken.items():
            counts = self.files[file]
            self.files[file] = replace(counts, rejected=counts.rejected + taken)


def counts_of(report: ImportReport) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them."""
    loaded = report.loaded
    return {
        "files": {
            stem: {"rows": counts.rows, "read": counts.read, "rejected": counts.rejected}
            for stem, counts in report.files.items()
        },
        "orders": {
            "created": loaded.orders[OrderOutcome.CREATED],
            "updated": loaded.orders[OrderOutcome.UPDATED],
            "unchanged": loaded.orders[OrderOutcome.KEPT],
            "without_items": loaded.without_items,
        },
        "statuses": {status.value: report.statuses[status] for status in Status},
        "users": {"named": loaded.users, "created": loaded.users_created},
        "products": loaded.products.total(),
        "products_created": loaded.products[Outcome.CREATED],
        "products_updated": loaded.products[Outcome.UPDATED],
        "mapped": loaded.mapped,
    }


def prose_of(report: ImportReport) -> str:
    """Return the sentences that an import prints."""
    counts = counts_of(report)
    orders, users = counts["orders"], counts["users"]
    lines = [
        *_rows(report),
        "Orders: {created:,} created, {updated:,} updated, {unchanged:,} unchanged; "
        "{without_items:,} of them without items.".format_map(orders),
        "Customers: {named:,}, of whom {created:,} are new.".format_map(users),
        "Products: {products:,}; {products_created:,} of them are new, "
        "{products_updated:,} updated.".format_map(counts),
    ]
    if report.loaded.mapped:
        lines.append("Ids and names that were mapped: {mapped:,}.".format_map(counts))
    return "\n".join(lines)


def trial_of(report: ImportReport, rejects: RejectsFile) -> str:
    """Return what a trial prints: rows, orders by status, and the first rejected rows."""
    statuses = [f"{number:,} {status.value}" for status, number in sorted(report.statuses.items())]
    lines = [*_rows(report), f"Orders: {', '.join(statuses) or 'none'}. Nothing was written."]
    if rejects.count:
        lines += ["The first rejected rows:", *_first(rejects)]
    return "\n".join(lines)


def _rows(report: ImportReport) -> list[str]:
    return [
        f"{name}: {counts.rows:,} rows, {counts.read:,} read, {counts.rejected:,} rejected."
        for name, counts in report.files.items()
    ]


def _first(rejects: RejectsFile) -> Iterator[str]:
    with rejects.path.open(encoding="utf-8", newline="") as file:
        for row in islice(csv.DictReader(file), REJECTS_SHOWN):
            named = f", {row['id']}" if row["id"] else ""
            yield f"  {row['file']}, line {row['line']}{named}: {row['reason']}"
