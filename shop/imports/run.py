"""An import of Olist's files: the first pass checks every row, the second writes.

Nothing is written when a file is missing or unreadable. Importing again is idempotent, and
continues after an interruption.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress
from shop.imports import olist_files
from shop.imports.found import FileCounts, Found
from shop.imports.loading import ORDERS_AT_A_TIME, Load, LoadReport, Readings
from shop.imports.olist import OlistOrder
from shop.imports.products import Update
from shop.imports.survey import survey


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The numbers of rows of each file, and what became of what they hold."""

    files: Mapping[str, FileCounts]
    loaded: LoadReport


def import_orders(
    folder: Path,
    *,
    rejects: RejectsFile,
    progress: Progress,
    orders_at_a_time: int = ORDERS_AT_A_TIME,
    update: Update = Update.NONE,
) -> ImportReport:
    """Write the orders of a folder with their customers and products.

    Raises FileUnreadable and RejectsUnwritable before anything is written, and what
    `dynamo.writes.transactions` and `dynamo.calls.batches` raise.
    """
    with rejects:
        found = survey(folder, reject=rejects.add, progress=progress)
        load = Load(_readings(found, folder), rejects, progress)
        loaded = load.run(update=update, orders_at_a_time=orders_at_a_time)
    return ImportReport(_with_taken(found.counts, loaded.taken), loaded)


def _readings(found: Found, folder: Path) -> Readings[OlistOrder]:
    return Readings(
        file=olist_files.ORDERS.path_in(folder).name,
        rows=found.in_order_of_placing(),
        build=found.order,
        products=found.products,
        describe=found.describe,
        names=found.names,
    )


def _with_taken(files: Mapping[str, FileCounts], taken: int) -> dict[str, FileCounts]:
    stem = olist_files.ORDERS.stem
    counts = files[stem]
    return {**files, stem: replace(counts, rejected=counts.rejected + taken)}
