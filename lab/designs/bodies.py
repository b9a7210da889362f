"""Long texts: in the items that lists read, or apart from them (vertical partitioning, P8)."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from random import Random

from django.utils.translation import gettext_noop as _

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.items import NewComment, excerpt, items_of
from comments.lists.queries import find_comment
from comments.models import All, Comment
from dynapages.calls import Batches
from dynapages.items import Item, table_key
from dynapages.lists import PageRequest, Position, sort_key_of
from dynapages.process import client, pool, read
from lab.bench.data import PRODUCT_ID, START, WORDS
from lab.designs.measuring import Answer, Design, Question, WriteCase, measure_designs
from lab.designs.tables import Lab, Layout
from lab.reports.results import Results

NAME = "long texts"
LIST, WHOLE = _("a list"), _("one, whole")
INLINE, APART = "inline", "apart"
COMMENTS = 400
SHORTEST, LONGEST = 1_200, 8_000
"""Characters of a text."""
WRITE = _("a long comment")
_TEXT = Comment.text.attr_name
_TABLE = Comment.Meta.table_name
_UNUSED = {
    Comment.language_partition.attr_name,
    Comment.rating_partition.attr_name,
    Comment.language_rating_partition.attr_name,
}
"""Keys of indexes that the tables do not have."""


def compare_bodies(lab: Lab) -> Results:
    """Measure long comments inline and apart. Raises WrongAnswer and NeverConsistent."""
    made = list(_long_comments(COMMENTS + lab.turns))
    comments, new = made[:COMMENTS], made[COMMENTS:]
    by_place = {sort_key_of(one.created_at, one.id): one for one in comments}
    one = sorted(comments, key=lambda comment: len(comment.body))[len(comments) // 2]
    letters = round(sum(len(one.body) for one in comments) / len(comments))

    def on_table(
        name: str, build: Callable[[NewComment], list[Item]], whole: Callable[[str], str]
    ) -> Design:
        table = lab.make(Layout(f"texts-{name}", Comment, (All.Meta.index_name,)))
        items = [item for comment in comments for item in build(comment)]
        lab.fill(table, items, total=len(items))

        def read_page(question: str, request: PageRequest) -> Answer:
            return _list(request) if question == LIST else [{_TEXT: {"S": whole(one.id)}}]

        writes = [
            WriteCase(
                action=WRITE,
                write=partial(_put, build(comment)),
                looks=[partial(_is_first, comment)],
                key={"pk": {"S": keys.comment(comment.id)}},
            )
            for comment in new
        ]
        return Design(name, table, read_page, lambda: writes)

    return measure_designs(
        lab,
        name=NAME,
        data=(
            f"{COMMENTS} comments on one product, made for this, of {letters:,} letters on average."
        ),
        questions={
            LIST: Question(
                "a page of the product's comments, of which it shows the first lines",
                [Position(place) for place in sorted(by_place, reverse=True)],
                lambda places: [_line(place, by_place[place].body) for place in places],
            ),
            WHOLE: Question(
                "a single comment by its id, with its whole text",
                [Position(sort_key_of(one.created_at, one.id))],
                lambda _places: [{_TEXT: {"S": one.body}}],
            ),
        },
        designs=[
            on_table(INLINE, _inline, _whole_inline),
            on_table(APART, _apart, lambda comment_id: find_comment(comment_id).body),
        ],
    )


def _list(request: PageRequest) -> Answer:
    """Read a page of a list, which shows the first lines of each text."""
    page = read(plan(PRODUCT_ID, CommentFilter()).runs, request)
    return [_line(entry.position.place, entry.item[_TEXT]["S"]) for entry in page.entries]


def _line(place: str, text: str) -> Item:
    shown = text if text.endswith("…") else excerpt(text)
    return {Comment.place.attr_name: {"S": place}, _TEXT: {"S": shown}}


def _whole_inline(comment_id: str) -> str:
    key = keys.comment(comment_id)
    text: str = client().get_item(TableName=_TABLE, Key=table_key(key, key))["Item"][_TEXT]["S"]
    return text


def _apart(comment: NewComment) -> list[Item]:
    items = [item.serialize() for item in items_of(comment) if item is not None]
    return [{name: item[name] for name in item if name not in _UNUSED} for item in items]


def _inline(comment: NewComment) -> list[Item]:
    item, *_ = _apart(comment)
    return [{**item, _TEXT: {"S": comment.body}}]


def _put(items: Sequence[Item]) -> None:
    Batches(client(), pool()).put(_TABLE, items)


def _is_first(comment: NewComment) -> bool:
    (entry,) = _list(PageRequest(1))
    place: str = entry[Comment.place.attr_name]["S"]
    return place == sort_key_of(comment.created_at, comment.id)


def _long_comments(number: int) -> Iterator[NewComment]:
    """Make comments an hour apart, each of a thousand letters or more."""
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
