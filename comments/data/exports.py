"""Walks through the comments of one product, or of all, for exports."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from django.urls import reverse

from comments import keys
from comments.data.shapes import FIELDS, PLAIN
from comments.filters import CommentFilter
from comments.host import products
from comments.indexes.planner import plan
from comments.items import NewState
from comments.keys import comment_key
from comments.lists.entries import CommentEntry, entry_of
from comments.models import TABLE, Comment, CommentBody
from comments.replies.services import reply_in
from comments.store.states import hold_reason, imported_votes, is_listed, is_tombstone
from comments.votes.rank import count_votes
from dynapages.calls import Batches
from dynapages.files.export_command import list_walk, table_walk
from dynapages.files.exports import Layout, Row, Walk
from dynapages.items import Item
from dynapages.lists import Page, PageRequest, id_at
from dynapages.process import client, pool, read

AT_A_TIME = 200
"""Comments of a product that are read, and then written, together."""
GOOGLE = "google-xml"
"""The format of Google's feed of product reviews."""
_PLACE = Comment.place.attr_name
_TEXT = CommentBody.text.attr_name
_SCHEMA = "http://www.google.com/shopping/reviews/schema/product/2.4/product_reviews.xsd"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot hold."""
_ANONYMOUS = "Anonymous"

Rows = list[dict[str, object]]


# The comments, as rows


def walk_through(product_id: str | None, *, with_withheld: bool = False) -> Walk:
    """Return the walk through a product's comments, newest first, or (None) all, by a Scan.

    With those that are withheld, hidden or held, only the walk through all comments can be.
    """
    if product_id is None:
        return table_walk(TABLE, _rows_of_all if with_withheld else _rows_of_listed)
    runs = plan(product_id, CommentFilter()).runs

    def read_page(request: PageRequest) -> Page:
        return read(runs, request)

    return list_walk(read_page, _rows, at_a_time=AT_A_TIME)


def _rows_of_listed(items: Sequence[Item]) -> Rows:
    """Build the rows of those items of the table that are comments in lists."""
    return _rows([item for item in items if is_listed(item)])


def _rows_of_all(items: Sequence[Item]) -> Rows:
    """Build the rows of those items of the table that are comments, hidden and held ones too."""
    comments: list[Item] = []
    for item in items:
        if item["sk"]["S"] == keys.COMMENT and not is_tombstone(item):
            comments.append(item)
    rows = _rows(comments)
    for row, item in zip(rows, comments, strict=True):
        row["state"] = _state(item)
        if not is_listed(item):
            # What is in no list has no rank: its votes are counted.
            _put_votes(row, count_votes(_id_of(item)) + imported_votes(item))
    return rows


def _id_of(item: Item) -> str:
    return id_at(item[_PLACE]["S"])


def _rows(items: Sequence[Item]) -> Rows:
    """Build the rows of comments, whose long texts and replies are read together."""
    entries = [entry_of(item) for item in items]
    # Lists have an excerpt of what is long: an export needs all of it.
    long_parts: list[Item] = []
    for entry in entries:
        long_parts += [comment_key(entry.id, sort_key) for sort_key in _long_parts(entry)]
    parts: dict[tuple[str, str], Item] = {}
    if long_parts:
        for part in Batches(client(), pool()).get(TABLE, long_parts, consistent=False):
            parts[part["pk"]["S"], part["sk"]["S"]] = part
    names = products().names({entry.product_id for entry in entries})
    rows: Rows = []
    for entry in entries:
        row = _row(entry, parts, names.get(entry.product_id))
        _put_votes(row, entry.helpful_votes)
        rows.append(row)
    return rows


def _put_votes(row: dict[str, object], votes: int | None) -> None:
    """Put the votes of a comment into its row, where it has any."""
    if votes:
        row["exported_votes"] = votes


def _long_parts(entry: CommentEntry) -> Iterator[str]:
    """Yield the sort keys of the items that hold what an entry shows only an excerpt of."""
    if entry.is_long:
        yield keys.BODY
    if entry.reply is not None and entry.reply.is_long:
        yield keys.REPLY


def _row(
    entry: CommentEntry, parts: dict[tuple[str, str], Item], product: tuple[str, str] | None
) -> dict[str, object]:
    """Build the row of a comment with its whole text and reply; what it lacks is left out."""
    key = keys.comment(entry.id)
    text = entry.text
    if (key, keys.BODY) in parts:
        text = parts[key, keys.BODY][_TEXT]["S"]
    reply = entry.reply
    if (key, keys.REPLY) in parts:
        reply = reply_in(parts[key, keys.REPLY])
    row: dict[str, object] = {
        "id": entry.id,
        "product_id": entry.product_id,
        "language": entry.language,
        "rating": entry.rating,
        "created_at": entry.created.isoformat(),
        "author": entry.author,
        "title": entry.title,
        "body": text,
        "username": entry.user_id,
        # A text may show a tag of HTML: an import must leave it as it is.
        "text_format": PLAIN,
    }
    if entry.is_verified:
        row["verified"] = "true"
    if reply is not None:
        row["reply"] = reply.text
        if reply.replied:
            row["replied_at"] = reply.replied.isoformat()
    if product is not None:
        row["product_name"], row["product_external_id"] = product
    return {name: value for name, value in row.items() if value != ""}


def _state(item: Item) -> NewState:
    """Return the state in which an import is to bring a comment."""
    if is_listed(item):
        return NewState.PUBLISHED
    if hold_reason(item) is None:
        return NewState.HIDDEN
    return NewState.HELD


# Google's feed


@dataclass(frozen=True, slots=True)
class GoogleFeed(Layout):
    """The feed of the shop ``publisher``, whose pages are below the URL ``site``."""

    format: str = GOOGLE
    columns: tuple[str, ...] = FIELDS
    publisher: str = ""
    site: str = ""

    def header(self) -> str:
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<feed xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\n'
            f'      xsi:noNamespaceSchemaLocation="{_SCHEMA}">\n'
            f"<version>2.4</version>\n"
            f"<publisher>{_element('name', self.publisher)}</publisher>\n"
            f"<reviews>\n"
        )

    def text(self, rows: Iterable[Row]) -> str:
        return "".join(self._review(row) for row in rows)

    def footer(self) -> str:
        return "</reviews>\n</feed>\n"

    def _review(self, row: Row) -> str:
        """Return the element of a comment in Google's feed."""
        product_id, comment_id = str(row["product_id"]), str(row["id"])
        url = self.site + reverse("comments:comment", args=[comment_id])
        product_url = self.site + reverse("comments:product", args=[product_id])
        elements = [
            _element("review_id", comment_id),
            _reviewer(str(row.get("author", ""))),
            _optional_element("is_verified_purchase", row, "verified"),
            _element("review_timestamp", str(row["created_at"])),
            _optional_element("title", row, "title"),
            _element("content", str(row.get("body", ""))),
            _element("review_language", str(row["language"])),
            f'<review_url type="singleton">{_text(url)}</review_url>',
            f'<ratings><overall min="1" max="5">{row["rating"]}</overall></ratings>',
            "<products><product>",
            f"<product_ids><skus>{_element('sku', product_id)}</skus></product_ids>",
            _element("product_name", str(row.get("product_name", product_id))),
            _element("product_url", product_url),
            "</product></products>",
        ]
        return f"<review>{''.join(elements)}</review>\n"


def _reviewer(author: str) -> str:
    if author:
        name = f'<name is_anonymous="false">{_text(author)}</name>'
    else:
        name = f'<name is_anonymous="true">{_text(_ANONYMOUS)}</name>'
    return f"<reviewer>{name}</reviewer>"


def _optional_element(name: str, row: Row, column: str) -> str:
    """Return the element of a column, empty where the row does not have it."""
    if column not in row:
        return ""
    return _element(name, str(row[column]))


def _element(name: str, text: str) -> str:
    return f"<{name}>{_text(text)}</{name}>"


def _text(text: str) -> str:
    # A carriage return that is not written as a reference is read as a line feed.
    return escape(_FORBIDDEN.sub("", text), {"\r": "&#13;"})
