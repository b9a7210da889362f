"""Long texts: in the items that lists read, or apart from them (vertical partitioning, P8)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

from comments import keys as comment_keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.items import NewComment, excerpt, items_of
from comments.lists.queries import find_comment
from comments.models import All, Comment
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.items import Item
from dynamo.lists.places import place_of
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from dynamo.lists.site_reader import read
from lab.bench.comment_data import PRODUCT_ID, START, WORDS, CommentAnswers
from lab.designs.figures import DesignFigures, SubjectFigures, Writing
from lab.designs.reading import Answer, ReadCase, cases_of_list, measure_readings
from lab.designs.tables import Lab, LabTable, Layout
from lab.designs.writing import WriteCase, measure_writings

NAME = "long texts"
LIST, WHOLE = "a list", "one, whole"
INLINE, APART = "inline", "apart"
COMMENTS = 400
SHORTEST, LONGEST = 1_200, 8_000
"""Letters of a text: all are long."""
WRITE = "a long comment"
_TEXT = Comment.text.attr_name
_TABLE = Comment.Meta.table_name


@dataclass(frozen=True, slots=True)
class BodyDesign:
    """Where a long text is stored, and how it is found again."""

    name: str
    items: Callable[[NewComment], Sequence[Item]]
    whole: Callable[[str], str]


def compare_bodies(lab: Lab) -> SubjectFigures:
    """Load long comments inline and apart, and read lists and single ones. Raises WrongAnswer."""
    comments = list(_long_comments(COMMENTS))
    designs = (
        BodyDesign(INLINE, _inline, _whole_inline),
        BodyDesign(APART, _apart, _whole_apart),
    )
    tables = {design.name: _load(lab, design, comments) for design in designs}
    cases = [c for d in designs for c in _cases(lab, d, tables[d.name], comments)]
    readings = measure_readings(lab, cases)
    letters = round(sum(len(one.body) for one in comments) / len(comments))
    return SubjectFigures(
        name=NAME,
        data=(
            f"{COMMENTS} comments on one product, made for this, of {letters:,} letters on average."
        ),
        questions={
            LIST: "a page of the product's comments, of which it shows the first lines",
            WHOLE: "a single comment by its id, with its whole text",
        },
        designs=tuple(
            DesignFigures(d.name, readings[d.name], _write(lab, d, tables[d.name])) for d in designs
        ),
    )


def _load(lab: Lab, design: BodyDesign, comments: Sequence[NewComment]) -> LabTable:
    table = lab.make(Layout(f"texts-{design.name}", Comment, (All.Meta.index_name,)))
    items = [item for one in comments for item in design.items(one)]
    lab.fill(table, items, total=len(items))
    return table


def _cases(
    lab: Lab, design: BodyDesign, table: LabTable, comments: Sequence[NewComment]
) -> Iterator[ReadCase]:
    by_place = {place_of(one.created_at, one.id): one for one in comments}
    positions = [Position(p) for p in CommentAnswers(comments).places(CommentFilter())]
    yield from cases_of_list(
        lab,
        positions,
        _list,
        design=design.name,
        question=LIST,
        table=table,
        shown_at=lambda places: [_line(place, by_place[place].body) for place in places],
    )
    one = sorted(comments, key=lambda comment: len(comment.body))[len(comments) // 2]
    yield ReadCase(
        design=design.name,
        question=WHOLE,
        page=1,
        pages=1,
        tables=table.in_place,
        read=partial(_one, design, one.id),
        expected=[{_TEXT: {"S": one.body}}],
    )


def _list(request: PageRequest) -> Answer:
    """Read a page of a list, which shows the first lines of each text wherever it stands."""
    page = read(plan(PRODUCT_ID, CommentFilter()).runs, request)
    return [_line(entry.position.place, entry.item[_TEXT]["S"]) for entry in page.entries]


def _line(place: str, text: str) -> Item:
    shown = text if text.endswith("…") else excerpt(text)
    return {Comment.place.attr_name: {"S": place}, _TEXT: {"S": shown}}


def _one(design: BodyDesign, comment_id: str) -> Answer:
    return [{_TEXT: {"S": design.whole(comment_id)}}]


def _whole_inline(comment_id: str) -> str:
    key = comment_keys.comment(comment_id)
    answer = client().get_item(TableName=_TABLE, Key={"pk": {"S": key}, "sk": {"S": key}})
    text: str = answer["Item"][_TEXT]["S"]
    return text


def _whole_apart(comment_id: str) -> str:
    return find_comment(comment_id).body


def _apart(comment: NewComment) -> Sequence[Item]:
    return [_listed(item.serialize()) for item in items_of(comment) if item is not None]


def _inline(comment: NewComment) -> Sequence[Item]:
    item, _ = items_of(comment)
    return [{**_listed(item.serialize()), _TEXT: {"S": comment.body}}]


def _listed(item: dict[str, Any]) -> Item:
    """Leave out the keys of the indexes that this table does not have."""
    others = (
        Comment.language_partition,
        Comment.rating_partition,
        Comment.language_rating_partition,
    )
    unused = {attribute.attr_name for attribute in others}
    return {name: value for name, value in item.items() if name not in unused}


def _write(lab: Lab, design: BodyDesign, table: LabTable) -> tuple[Writing, ...]:
    new = list(_long_comments(COMMENTS + lab.turns))[COMMENTS:]
    return measure_writings(
        lab,
        [
            WriteCase(
                action=WRITE,
                table=table,
                write=partial(_put, design.items(one)),
                looks=[partial(_is_first, one)],
                key={"pk": {"S": comment_keys.comment(one.id)}},
            )
            for one in new
        ],
    )


def _put(items: Sequence[Item]) -> None:
    Batches(client(), pool()).put(_TABLE, items)


def _is_first(comment: NewComment) -> bool:
    (entry,) = _list(PageRequest(1))
    place: str = entry[Comment.place.attr_name]["S"]
    return place == place_of(comment.created_at, comment.id)


def _long_comments(number: int) -> Iterator[NewComment]:
    """Make comments an hour apart, each as long as a story."""
    rng = Random(2_024)  # noqa: S311 - repeatable data, nothing secret
    filler = " ".join(rng.choices(WORDS, k=20_000))
    for n in range(number):
        start = rng.randrange(len(filler) - LONGEST)
        body = filler[start : start + rng.randint(SHORTEST, LONGEST)].strip()
        yield NewComment(
            id=f"{rng.getrandbits(64):016x}",
            product_id=PRODUCT_ID,
            language="en",
            rating=rng.randint(1, 5),
            created_at=START + timedelta(hours=n),
            author=f"reader {n}",
            title="At length",
            body=body,
        )
