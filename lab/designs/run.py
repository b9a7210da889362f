"""One run of the lab, from the data to the figures."""

from datetime import datetime

from django.conf import settings

from dynamo.lists.places import timestamp
from dynamo.progress import Progress
from lab.bench.order_data import OrderData
from lab.designs.bodies import compare_bodies
from lab.designs.comment_source import Comments, of_product, sample
from lab.designs.comments import compare_comments
from lab.designs.engines import engine_of_the_site, own_engine, require_exact
from lab.designs.order_tables import load_orders
from lab.designs.orders import compare_customer_orders, compare_open_orders
from lab.designs.tables import Lab, open_lab
from lab.reports.design_figures import LabFigures, SubjectFigures
from lab.reports.figures import Machine

ORDERS = OrderData(of_customer=2_000, queued=2_000)


def compare(
    *,
    comments: int,
    product_id: str | None,
    turns: int,
    here: bool,
    now: datetime,
    progress: Progress,
) -> LabFigures:
    """Load at most ``comments`` of a product, or of the sample shop, measure, and remove them.

    ``turns`` is how often each thing is timed, and written. ``here`` is on the site's own engine.
    Raises EngineError, InexactEngine, NoComments, WrongAnswer, NeverConsistent, and what calls to
    DynamoDB raise.
    """
    if product_id is None:
        data = sample(comments, now=now)
    else:
        data = of_product(product_id, at_most=comments)
    size = settings.PAGE_SIZE
    with (
        engine_of_the_site() if here else own_engine(comments=len(data.all)) as engine,
        open_lab(progress=progress, page_size=size, turns=turns) as lab,
    ):
        machine = Machine.here(engine=engine)
        require_exact(lab)
        subjects = _subjects(lab, data)
    remotely = f"Measured on {engine}, from a machine of {machine.cores} cores."
    return LabFigures(
        taken_at=timestamp(now),
        engine=engine,
        machine=remotely if here else machine.sentence,
        warning="" if here else machine.warning,
        page_size=size,
        turns=turns,
        subjects=subjects,
    )


def _subjects(lab: Lab, data: Comments) -> tuple[SubjectFigures, ...]:
    of_comments = compare_comments(lab, data)
    orders = load_orders(lab, ORDERS)
    return (
        of_comments,
        compare_customer_orders(lab, orders),
        compare_open_orders(lab, orders),
        compare_bodies(lab),
    )
