"""Comments: the questions, and each design measured on them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from uuid import NAMESPACE_OID, uuid5

from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment
from comments.store.counts import Cell
from dynamo.lists.runs import Position
from lab.bench.comment_data import CommentAnswers
from lab.designs.comment_designs import DESIGNS, SETS, CommentDesign
from lab.designs.comment_reads import place_in, shown, stored
from lab.designs.comment_source import Comments
from lab.designs.figures import DesignFigures, SubjectFigures, Writing
from lab.designs.reading import ReadCase, cases_of_list, measure_readings
from lab.designs.set_copies import following
from lab.designs.tables import Lab, LabTable
from lab.designs.writing import WriteCase, measure_writings

NAME = "comments"
POPULAR, RARE, FOUR = "popular", "rare", "four of five"
SWITCHED_OFF = 3
"""The rating that the third question leaves out, as the article's picture of its page does."""
RARE_PAGES = 3
"""Pages that the rare list should have, so that it has a middle; fewer where none is so long."""
WRITE = "a comment"


def compare_comments(lab: Lab, data: Comments) -> SubjectFigures:
    """Load the comments into each design and ask all the same. Raises WrongAnswer."""
    chosen = questions(data.listed, size=lab.page_size)
    tables = {design.name: _load(lab, design, data.all) for design in DESIGNS}
    cases = [
        case
        for design in DESIGNS
        for case in _cases(lab, design, tables[design.name], data=data, chosen=chosen)
    ]
    readings = measure_readings(lab, cases)
    answers = CommentAnswers(data.listed)
    return SubjectFigures(
        name=NAME,
        data=_sentence(data),
        questions={
            name: f"{_spelled(asked)}: {len(answers.places(asked)):,} of {len(data.listed):,}"
            for name, asked in chosen.items()
        },
        designs=tuple(
            DesignFigures(
                design.name, readings[design.name], _write(lab, design, tables[design.name], data)
            )
            for design in DESIGNS
        ),
    )


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


def _cases(
    lab: Lab,
    design: CommentDesign,
    table: LabTable,
    *,
    data: Comments,
    chosen: dict[str, CommentFilter],
) -> Iterator[ReadCase]:
    answers = CommentAnswers(data.listed)
    by_place = {place_in(item): item for item in map(shown, map(stored, data.listed))}
    for name, asked in chosen.items():
        yield from cases_of_list(
            lab,
            [Position(place) for place in answers.places(asked)],
            partial(design.read, data.product_id, asked),
            design=design.name,
            question=name,
            table=table,
            shown_at=lambda places: [by_place[place] for place in places],
        )


def _write(lab: Lab, design: CommentDesign, table: LabTable, data: Comments) -> tuple[Writing, ...]:
    follow = following(lab, table) if design is SETS else lambda: None
    return measure_writings(
        lab,
        [
            WriteCase(
                action=WRITE,
                table=table,
                write=partial(design.write, one),
                looks=design.looks(one),
                key={"pk": stored(one)["pk"]},
                follow=follow,
            )
            for one in _newer(data.listed, number=lab.turns)
        ],
    )


def _newer(comments: Sequence[NewComment], *, number: int) -> list[NewComment]:
    """Give comments like the last ones, each newer than all, the same for every design."""
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


def _spelled(chosen: CommentFilter) -> str:
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
