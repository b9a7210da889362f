"""Long texts, in the items that lists read or in items of their own (vertical partitioning)."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from random import Random

from django.utils.translation import gettext_noop as _

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.items import NewComment, excerpt, items_of
from comments.keys import comment_key
from comments.lists.queries import find_comment
from comments.models import All, Comment
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.lists import PageRequest, Position, sort_key_of
from dynapages.process import client, read
from dynapages.pynamodb import DynamoModel
from lab.bench.data import PRODUCT_ID, START, filler_text
from lab.designs.measuring import Design, SubjectList, WriteCase, compare_designs, put_items
from lab.figures import SubjectFigures

SUBJECT = "long texts"
LIST, WHOLE = _("a list"), _("one, whole")
WRITE = _("a long comment")
LONG_COMMENTS, WRITES = 400, 5
SHORTEST, LONGEST = 1_200, 8_000
"""Characters of a text."""
TABLE = Comment.Meta.table_name
TEXT = Comment.text.attr_name
KEYS_OF_OTHER_INDEXES = {
    Comment.language_partition.attr_name,
    Comment.rating_partition.attr_name,
    Comment.language_rating_partition.attr_name,
}


class TextDesign(Design[NewComment]):
    """A way to store long texts; subclasses are the designs."""

    model: type[DynamoModel] = Comment
    indexes: Sequence[str] = (All.Meta.index_name,)

    def __init__(self, comments: Sequence[NewComment], new: Sequence[NewComment]) -> None:
        self.comments = comments
        self.new_comments = new
        self.single = median_comment(comments)

    def items(self) -> Iterator[Item]:
        for comment in self.comments:
            yield from self.items_of(comment)

    def items_of(self, comment: NewComment) -> list[Item]:
        """Return the items that a comment is stored as."""
        raise NotImplementedError

    def read_text(self, comment_id: str) -> str:
        """Read the whole text of a comment."""
        raise NotImplementedError

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        if list_name == LIST:
            return read_first_lines(request)
        return [{TEXT: {"S": self.read_text(self.single.id)}}]

    def write_cases(self) -> Iterator[WriteCase[NewComment]]:
        for comment in self.new_comments:
            yield WriteCase(WRITE, {"pk": comment_key(comment.id)["pk"]}, comment)

    def write(self, record: NewComment) -> None:
        put_items(TABLE, self.items_of(record))

    def is_shown(self, record: NewComment) -> bool:
        """Return whether a comment is the first of the list."""
        (first,) = read_first_lines(PageRequest(1))
        sort_key: str = first[Comment.place.attr_name]["S"]
        return sort_key == _sort_key(record)


class Inline(TextDesign):
    """The whole text in the comment's item, and so in the index that lists read."""

    name = "inline"

    def items_of(self, comment: NewComment) -> list[Item]:
        # The site's item has an excerpt here: the whole text takes its place.
        item, *_long_text = _items_apart(comment)
        return [{**item, TEXT: {"S": comment.body}}]

    def read_text(self, comment_id: str) -> str:
        answer = client().get_item(TableName=TABLE, Key=comment_key(comment_id))
        text: str = answer["Item"][TEXT]["S"]
        return text


class Apart(TextDesign):
    """The whole text in an item of its own, in no index: the site's design."""

    name = "apart"

    def items_of(self, comment: NewComment) -> list[Item]:
        return _items_apart(comment)

    def read_text(self, comment_id: str) -> str:
        return find_comment(comment_id).body


def _items_apart(comment: NewComment) -> list[Item]:
    items: list[Item] = []
    for model in items_of(comment):
        if model is not None:
            item = model.serialize()
            # Both designs are read by one index: keys of others would only cost writes.
            for name in KEYS_OF_OTHER_INDEXES:
                item.pop(name, None)
            items.append(item)
    return items


def compare_long_texts(*, page_size: int, progress: Progress) -> SubjectFigures:
    """Compare the designs on comments made for this. Raises WrongAnswer and NeverConsistent."""
    made = list(long_comments(LONG_COMMENTS + WRITES))
    comments, new = made[:LONG_COMMENTS], made[LONG_COMMENTS:]
    # What a list must show is computed from the texts, not read from a design.
    body_by_sort_key = {_sort_key(comment): comment.body for comment in comments}
    single = median_comment(comments)
    letters = round(sum(len(comment.body) for comment in comments) / len(comments))

    def shown_in_list(sort_keys: Sequence[str]) -> list[Item]:
        return [_first_lines(sort_key, body_by_sort_key[sort_key]) for sort_key in sort_keys]

    def shown_whole(_sort_keys: Sequence[str]) -> list[Item]:
        return [{TEXT: {"S": single.body}}]

    newest_first = [Position(sort_key) for sort_key in sorted(body_by_sort_key, reverse=True)]
    subject_lists = [
        SubjectList(
            LIST,
            "a page of the product's comments, of which it shows the first lines",
            newest_first,
            shown_in_list,
        ),
        SubjectList(
            WHOLE,
            "a single comment by its id, with its whole text",
            [Position(_sort_key(single))],
            shown_whole,
        ),
    ]
    return compare_designs(
        SUBJECT,
        f"{LONG_COMMENTS} comments on one product, made for this, of {letters:,} letters on "
        "average.",
        subject_lists,
        [Inline(comments, new), Apart(comments, new)],
        page_size=page_size,
        progress=progress,
    )


def median_comment(comments: Sequence[NewComment]) -> NewComment:
    """Return the comment whose text is as long as the median."""
    return sorted(comments, key=_text_length)[len(comments) // 2]


def _text_length(comment: NewComment) -> int:
    return len(comment.body)


def _sort_key(comment: NewComment) -> str:
    return sort_key_of(comment.created_at, comment.id)


def read_first_lines(request: PageRequest) -> list[Item]:
    """Read a page of a list, which shows the first lines of each text."""
    page = read(plan(PRODUCT_ID, CommentFilter()).runs, request)
    return [_first_lines(entry.position.place, entry.item[TEXT]["S"]) for entry in page.entries]


def _first_lines(sort_key: str, text: str) -> Item:
    shown = text
    if not text.endswith("…"):  # else it is an excerpt already
        shown = excerpt(text)
    return {Comment.place.attr_name: {"S": sort_key}, TEXT: {"S": shown}}


def long_comments(number: int) -> Iterator[NewComment]:
    """Yield comments an hour apart, each with more than a thousand letters."""
    random = Random(2_024)  # noqa: S311 - repeatable data, nothing secret
    filler = filler_text(random)
    for n in range(number):
        start = random.randrange(len(filler) - LONGEST)
        body = filler[start : start + random.randint(SHORTEST, LONGEST)].strip()
        yield NewComment(
            id=f"{random.getrandbits(64):016x}",
            product_id=PRODUCT_ID,
            language="en",
            rating=random.randint(1, 5),
            created_at=START + timedelta(hours=n),
            author=f"reader {n}",
            title="At length",
            body=body,
        )
