"""One run of the lab, from the data to the figures."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from dynamo.lists.places import timestamp
from dynamo.progress import Progress
from lab.bench.order_data import OrderData
from lab.bench.report import Machine
from lab.designs.bodies import compare_bodies
from lab.designs.comment_source import Comments, of_product, sample
from lab.designs.comments import compare_comments
from lab.designs.customer_orders import compare_customer_orders
from lab.designs.engines import engine_of_the_site, own_engine
from lab.designs.exactness import require_exact
from lab.designs.figures import LabFigures, SubjectFigures
from lab.designs.open_orders import compare_open_orders
from lab.designs.order_tables import load_orders
from lab.designs.tables import Lab, open_lab

ORDERS = OrderData(of_customer=2_000, queued=2_000)


@dataclass(frozen=True, slots=True)
class Asked:
    """What to compare on: so many of the sample's comments, or of a product of the site.

    ``turns`` is how often each thing is timed, and written. ``here`` is on the site's own engine.
    """

    comments: int
    product_id: str | None
    turns: int
    here: bool
    orders: OrderData = ORDERS


def compare(asked: Asked, *, now: datetime, progress: Progress) -> LabFigures:
    """Load, ask, measure, and remove all that was loaded.

    Raises EngineError, InexactEngine, NoComments, WrongAnswer, NeverConsistent, and what calls to
    DynamoDB raise.
    """
    data = _comments(asked, now=now)
    with (
        _engine(here=asked.here, comments=len(data.all)) as engine,
        open_lab(progress=progress, page_size=settings.PAGE_SIZE, turns=asked.turns) as lab,
    ):
        machine = Machine.here(engine=engine)
        require_exact(lab)
        subjects = _subjects(lab, data, asked.orders)
    return LabFigures(
        taken_at=timestamp(now),
        engine=engine,
        machine=_told(machine, here=asked.here),
        warning="" if asked.here else machine.warning,
        page_size=settings.PAGE_SIZE,
        turns=asked.turns,
        subjects=subjects,
    )


def _comments(asked: Asked, *, now: datetime) -> Comments:
    if asked.product_id is None:
        return sample(asked.comments, now=now)
    return of_product(asked.product_id, at_most=asked.comments)


def _told(machine: Machine, *, here: bool) -> str:
    """Describe where it was measured; the site's engine may well be on another machine."""
    if here:
        return f"Measured on {machine.engine}, from a machine of {machine.cores} cores."
    return machine.sentence


def _engine(*, here: bool, comments: int) -> AbstractContextManager[str]:
    return engine_of_the_site() if here else own_engine(comments=comments)


def _subjects(lab: Lab, data: Comments, order_data: OrderData) -> tuple[SubjectFigures, ...]:
    of_comments = compare_comments(lab, data)
    orders = load_orders(lab, order_data)
    return (
        of_comments,
        compare_customer_orders(lab, orders),
        compare_open_orders(lab, orders),
        compare_bodies(lab),
    )
