"""Comments: the questions, and each design measured on them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from uuid import NAMESPACE_OID, uuid5

from django.utils.translation import gettext_noop as _

from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment
from comments.sets.applying import CopyWriter, batches
from comments.sets.models import TABLE as SETS_TABLE
from comments.store.counts import Cell
from dynamo.calls.client import build_streams_client, client, patient_client
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from dynamo.streams.checkpoints import MemoryCheckpoints
from dynamo.streams.walk import Record, StreamWalk, stream_of
from lab.bench.comment_data import CommentAnswers
from lab.designs.comment_designs import DESIGNS, SETS, CommentDesign, place_in, shown, stored
from lab.designs.comment_source import Comments
from lab.designs.measuring import Answer, Design, Question, WriteCase, measure_designs
from lab.designs.tables import SOON, Lab, LabTable
from lab.reports.design_figures import SubjectFigures

NAME = "comments"
POPULAR, RARE, FOUR = _("popular"), _("rare"), _("four of five")
SWITCHED_OFF = 3
"""The rating that the third question leaves out, as the article's picture of its page does."""
RARE_PAGES = 3
"""Pages that the rare list should have, so that it has a middle; fewer where none is so long."""
WRITE = _("a comment")


def compare_comments(lab: Lab, data: Comments) -> SubjectFigures:
    """Load the comments into each design and measure it. Raises WrongAnswer, NeverConsistent."""
    chosen = questions(data.listed, size=lab.page_size)
    answers = CommentAnswers(data.listed)
    by_place = {place_in(item): item for item in map(shown, map(stored, data.listed))}
    asked = {
        name: Question(
            about=f"{_words(wanted)}: {len(places):,} of {len(data.listed):,}",
            positions=[Position(place) for place in places],
            shown_at=lambda places: [by_place[place] for place in places],
        )
        for name, wanted in chosen.items()
        for places in [answers.places(wanted)]
    }

    def on_table(design: CommentDesign) -> Design:
        table = _load(lab, design, data.all)

        def read(question: str, request: PageRequest) -> Answer:
            return design.read(data.product_id, chosen[question], request)

        return Design(design.name, table, read, partial(_writes, lab, design, table, data.listed))

    designs = [on_table(design) for design in DESIGNS]
    return measure_designs(lab, name=NAME, data=_sentence(data), questions=asked, designs=designs)


def questions(comments: Sequence[NewComment], *, size: int) -> dict[str, CommentFilter]:
    """Choose a popular filter, a rare one, and four ratings of five."""
    cells = Counter((one.language, one.rating) for one in comments)
    ratings = Counter(one.rating for one in comments)
    rare: Cell = min(cells, key=lambda of: _rarity(cells[of], of, size=size))
    return {
        POPULAR: CommentFilter.of(ratings=[max(ratings, key=lambda r: (ratings[r], r))]),
        RARE: CommentFilter.of([rare[0]], [rare[1]]),
        FOUR: CommentFilter.of(ratings=[r for r in RATINGS if r != SWITCHED_OFF]),
    }


def _rarity(number: int, of: Cell, *, size: int) -> tuple[bool, int, Cell]:
    """Sort by number; those too short to have a middle page come last."""
    too_short = number <= (RARE_PAGES - 1) * size
    return too_short, -number if too_short else number, of


def _load(lab: Lab, design: CommentDesign, comments: Sequence[NewComment]) -> LabTable:
    table = lab.make(design.layout)
    items = (item for one in comments for item in design.items(stored(one)))
    each = len(design.items(stored(comments[0])))
    besides = design.besides(comments)
    lab.fill(table, chain(items, besides), total=len(comments) * each + len(besides))
    return table


def _writes(
    lab: Lab, design: CommentDesign, table: LabTable, comments: Sequence[NewComment]
) -> list[WriteCase]:
    follow = _following(lab, table) if design is SETS else lambda: None
    return [
        WriteCase(
            action=WRITE,
            write=partial(design.write, one),
            looks=design.looks(one),
            key={"pk": stored(one)["pk"]},
            follow=follow,
        )
        for one in _newer(comments, number=lab.turns)
    ]


def _apply(records: Sequence[Record]) -> None:
    """Write with the client whose calls are redirected and counted."""
    CopyWriter(batches()).apply(records)


def _following(lab: Lab, table: LabTable) -> Callable[[], object]:
    """Switch on the stream of a full table; return a function that makes the copies due since.

    It reads without a pause: a Lambda polls four times a second.
    """
    patient = patient_client()
    patient.update_table(
        TableName=table.name,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    patient.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig=SOON)
    with lab.redirection.to(table.in_place):
        arn = stream_of(client(), SETS_TABLE)
    walk = StreamWalk(
        api=build_streams_client(),
        arn=arn,
        checkpoints=MemoryCheckpoints(),
        apply=_apply,
        pause=0.0,
    )
    return lambda: walk.drain(looks=1)


def _newer(comments: Sequence[NewComment], *, number: int) -> list[NewComment]:
    """Return comments like the last ones, each newer than all, the same for every design."""
    ordered = sorted(comments, key=lambda one: (one.created_at, one.id))
    models = [ordered[-1 - n % len(ordered)] for n in range(number)]
    return [
        replace(
            model,
            id=uuid5(NAMESPACE_OID, f"{model.id} {n}").hex,
            created_at=ordered[-1].created_at + timedelta(minutes=n),
        )
        for n, model in enumerate(models, 1)
    ]


def _words(chosen: CommentFilter) -> str:
    *others, last = chosen.ratings
    ratings = f"{', '.join(map(str, others))} or {last}" if others else str(last)
    stars = "star" if chosen.ratings == (1,) else "stars"
    languages = f"in “{chosen.languages_spelled}”" if chosen.languages else "in any language"
    return f"{ratings} {stars}, {languages}"


def _sentence(data: Comments) -> str:
    if len(data.listed) == len(data.all):
        return (
            f"{len(data.all):,} comments {data.about}; the tables hold nothing else, which "
            "flatters Scan."
        )
    return (
        f"{len(data.all):,} comments {data.about}; "
        f"the lists are those of one product, with {len(data.listed):,} of them."
    )
