"""An import of Olist's files: the first pass checks every row, the second writes.

Nothing is written when a file is missing or unreadable. Importing again is idempotent, and
continues after an interruption.
"""

from collections import Counter
from pathlib import Path

from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress
from shop.imports import olist_files
from shop.imports.found import Found
from shop.imports.loading import ORDERS_AT_A_TIME, Load, Place, Readings
from shop.imports.olist import STATUSES, OlistOrder
from shop.imports.products import Update
from shop.imports.report import ImportReport
from shop.imports.survey import survey


def import_orders(
    folder: Path,
    *,
    rejects: RejectsFile,
    progress: Progress,
    orders_at_a_time: int = ORDERS_AT_A_TIME,
    update: Update = Update.NONE,
    is_trial: bool = False,
) -> ImportReport:
    """Write the orders of a folder with their customers and products; a trial writes nothing.

    Raises FileUnreadable and RejectsUnwritable before anything is written, and what
    `dynamo.writes.transactions` and `dynamo.calls.batches` raise.
    """
    with rejects:
        found = survey(folder, reject=rejects.add, progress=progress)
        statuses = Counter(STATUSES[order.status] for order in found.orders.values())
        report = ImportReport(found.counts, statuses)
        if not is_trial:
            load = Load(_readings(found, folder), rejects, progress)
            loaded = load.run(update=update, orders_at_a_time=orders_at_a_time)
            loaded.taken = Counter({olist_files.ORDERS.stem: loaded.taken.total()})
            report.add(loaded)
    return report


def _readings(found: Found, folder: Path) -> Readings[OlistOrder]:
    file = olist_files.ORDERS.path_in(folder).name
    return Readings(
        rows=found.in_order_of_placing(),
        places=lambda order: [Place(file, order.line)],
        build=found.order,
        products=found.products,
        describe=found.describe,
        names=found.names,
    )
