"""An import in the plain shape: the first pass checks every row, the second writes."""

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter

from django.utils.text import slugify

from dynamo.files.identifiers import product_id_of
from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress
from shop.catalogue.items import NewCategory
from shop.imports.loading import ORDERS_AT_A_TIME, Load, Readings
from shop.imports.plain.orders import PlainOrder
from shop.imports.plain.survey import PlainFiles, PlainFound, survey
from shop.imports.products import ImportedProduct, Update
from shop.imports.report import ImportReport


def import_plain(
    files: PlainFiles,
    *,
    rejects: RejectsFile,
    progress: Progress,
    orders_at_a_time: int = ORDERS_AT_A_TIME,
    update: Update = Update.NONE,
    is_trial: bool = False,
) -> ImportReport:
    """Write the orders of files with their customers and products; a trial writes nothing.

    Raises FileUnreadable, BadMapping and RejectsUnwritable before anything is written, and what
    `dynamo.writes.transactions` and `dynamo.calls.batches` raise.
    """
    with rejects:
        found = survey(files, reject=rejects.add, progress=progress)
        statuses = Counter(one.order.now_in.status for one in found.orders)
        report = ImportReport(found.counts, statuses)
        if not is_trial:
            load = Load(_readings(found), rejects, progress)
            report.add(load.run(update=update, orders_at_a_time=orders_at_a_time))
    return report


def _readings(found: PlainFound) -> Readings[PlainOrder]:
    told = _products(found.orders)
    return Readings(
        rows=found.orders,
        places=attrgetter("places"),
        build=attrgetter("order"),
        products=(),
        describe=told.__getitem__,
        names=found.names,
    )


def _products(orders: Iterable[PlainOrder]) -> dict[str, ImportedProduct]:
    """Return what the lines tell of products; a later order's name and category win."""
    found: dict[str, ImportedProduct] = {}
    for line in (line for order in orders for line in order.lines):
        before = found.get(line.product_id)
        is_named = bool(line.name) or (before is not None and before.is_named)
        category = _category(line.category) or (before and before.category)
        name = line.name or (before.name if before else line.called)
        found[line.product_id] = ImportedProduct(line.product_id, name, is_named, category or None)
    return found


def _category(name: str) -> NewCategory | None:
    if not name:
        return None
    return NewCategory(slug=slugify(name) or product_id_of(name).lower(), name=name)
