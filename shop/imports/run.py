"""An import of orders: the first pass checks every row, the second writes.

Nothing is written when a file is missing or unreadable. Importing again is idempotent, and
continues after an interruption.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from dynamo.files.records import Rejected, RejectsFile
from dynamo.upkeep.pace import Progress
from shop.imports.loading import ORDERS_AT_A_TIME, Load, LoadReport
from shop.imports.products import Outcome, Update
from shop.imports.survey import FileCounts, OrderFiles, survey
from shop.order_status import Status
from shop.orders.bulk import OrderOutcome

OpenFiles = Callable[[Callable[[Rejected], object]], OrderFiles]
"""Returns the files, and calls a function with rows that are rejected until then."""


def import_orders(
    open_files: OpenFiles,
    *,
    rejects: RejectsFile,
    progress: Progress,
    orders_at_a_time: int = ORDERS_AT_A_TIME,
    update: Update = Update.NONE,
    is_trial: bool = False,
) -> "ImportReport":
    """Write the orders of files with their customers and products; a trial writes nothing.

    Raises FileUnreadable, BadMapping and RejectsUnwritable before anything is written, and what
    `dynamo.writes.transactions` and `dynamo.calls.batches` raise.
    """
    with rejects:
        files = open_files(rejects.add)
        found = survey(files, reject=rejects.add, progress=progress)
        statuses = Counter(one.order.now_in.status for one in found.orders)
        report = ImportReport(found.counts, statuses)
        if not is_trial:
            load = Load(found, rejects, progress)
            report.add(load.run(update=update, orders_at_a_time=orders_at_a_time))
    if files.catalogue is not None:  # Olist's files are known by their stems, packed or not
        report.files = {name.partition(".")[0]: n for name, n in report.files.items()}
    return report


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
        lines += ["The first rejected rows:", *rejects.first()]
    return "\n".join(lines)


def _rows(report: ImportReport) -> list[str]:
    return [
        f"{name}: {counts.rows:,} rows, {counts.read:,} read, {counts.rejected:,} rejected."
        for name, counts in report.files.items()
    ]
