"""Walks through the comments of one product, or of all, for exports; hidden ones are in none."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from xml.sax.saxutils import escape

from django.urls import reverse

from comments import keys
from comments.data.rows import FIELDS
from comments.filters import CommentFilter
from comments.host import products
from comments.indexes.planner import plan
from comments.lists.entries import CommentEntry, entry_of
from comments.models import TABLE, CommentBody
from comments.replies.services import reply_in
from comments.store.states import is_listed
from comments.store.table import comment_key
from dynapages.calls import Batches
from dynapages.files.export_command import list_walk, table_walk
from dynapages.files.exports import Layout, Row, Walk
from dynapages.items import Item
from dynapages.process import client, pool, read

AT_A_TIME = 200
"""Comments of a product that are read, and then written, together."""
_TEXT = CommentBody.text.attr_name


def walk_through(product_id: str | None) -> Walk:
    """Return the walk through a product's comments, newest first, or (None) all, by a Scan."""
    if product_id is None:
        return table_walk(TABLE, lambda items: _rows([i for i in items if is_listed(i)]))
    runs = plan(product_id, CommentFilter()).runs
    return list_walk(partial(read, runs), _rows, at_a_time=AT_A_TIME)


def _rows(items: Sequence[Item]) -> list[dict[str, object]]:
    """Build the rows of comments, whose long texts and replies are read together."""
    entries = [entry_of(item) for item in items]
    wanted = [comment_key(entry.id, part) for entry in entries for part in _parts(entry)]
    found = Batches(client(), pool()).get(TABLE, wanted, consistent=False) if wanted else []
    beside = {(item["pk"]["S"], item["sk"]["S"]): item for item in found}
    names = products().names({entry.product_id for entry in entries})
    return [_row(entry, beside, names.get(entry.product_id)) for entry in entries]


def _parts(entry: CommentEntry) -> Iterator[str]:
    if entry.is_long:
        yield keys.BODY
    if entry.reply is not None and entry.reply.is_long:
        yield keys.REPLY


def _row(
    entry: CommentEntry, beside: dict[tuple[str, str], Item], product: tuple[str, str] | None
) -> dict[str, object]:
    """Build the row of a comment with its whole text and reply; what it lacks is left out."""
    key = keys.comment(entry.id)
    body, whole = beside.get((key, keys.BODY)), beside.get((key, keys.REPLY))
    reply = reply_in(whole) if whole else entry.reply
    row: dict[str, object] = {
        "id": entry.id,
        "product_id": entry.product_id,
        "language": entry.language,
        "rating": entry.rating,
        "created_at": entry.created.isoformat(),
        "author": entry.author,
        "title": entry.title,
        "body": body[_TEXT]["S"] if body else entry.text,
        "username": entry.user_id,
        "verified": "true" if entry.is_verified else "",
    }
    if reply is not None:
        replied_at = reply.replied.isoformat() if reply.replied else ""
        row |= {"reply": reply.text, "replied_at": replied_at}
    if product is not None:
        row["product_name"], row["product_external_id"] = product
    return {name: value for name, value in row.items() if value != ""}


GOOGLE = "google-xml"
_SCHEMA = "http://www.google.com/shopping/reviews/schema/product/2.4/product_reviews.xsd"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot hold."""
_ANONYMOUS = "Anonymous"


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
        return "".join(map(self._review, rows))

    def footer(self) -> str:
        return "</reviews>\n</feed>\n"

    def _review(self, row: Row) -> str:
        product_id, comment_id = str(row["product_id"]), str(row["id"])
        author = str(row.get("author", ""))
        anonymous = "false" if author else "true"
        url = self.site + reverse("comments:comment", args=[comment_id])
        product_url = self.site + reverse("comments:product", args=[product_id])
        return "".join(
            [
                "<review>",
                _element("review_id", comment_id),
                f'<reviewer><name is_anonymous="{anonymous}">{_text(author or _ANONYMOUS)}</name>',
                "</reviewer>",
                _element("is_verified_purchase", str(row["verified"])) if "verified" in row else "",
                _element("review_timestamp", str(row["created_at"])),
                _element("title", str(row["title"])) if "title" in row else "",
                _element("content", str(row.get("body", ""))),
                _element("review_language", str(row["language"])),
                f'<review_url type="singleton">{_text(url)}</review_url>',
                f'<ratings><overall min="1" max="5">{row["rating"]}</overall></ratings>',
                "<products><product>",
                f"<product_ids><skus>{_element('sku', product_id)}</skus></product_ids>",
                _element("product_name", str(row.get("product_name", product_id))),
                _element("product_url", product_url),
                "</product></products></review>\n",
            ]
        )


def _element(name: str, text: str) -> str:
    return f"<{name}>{_text(text)}</{name}>"


def _text(text: str) -> str:
    # A carriage return that is not spelled out is read as a line feed.
    return escape(_FORBIDDEN.sub("", text), {"\r": "&#13;"})
