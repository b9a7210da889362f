"""The parsing of one record into a comment. The rules are in docs/importing.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from comments.items import UNSAID, NewComment, NewReply, Unsaid
from comments.languages import is_language
from comments.replies.services import LONGEST_REPLY
from dynamo.files.moments import parse_moment
from dynamo.files.records import Record, Rejected, RowRefused

LONGEST_ID = 128
LONGEST_LINE_OF_TEXT = 1_000
"""Characters of an author or title."""
LONGEST_BODY = 100_000
"""Bytes of UTF-8."""
LATEST = timedelta(days=1)
"""How far ahead of now a comment may be dated: clocks and time zones differ."""

_PRODUCT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_RATING = re.compile(r"[1-5](\.0+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class CommentParser:
    """Parses the records of a file into comments.

    ``columns`` has the column of each field in the file, ``languages`` the codes of its names of
    languages; ``product_id`` puts all comments under one product. Rows dated more than a day after
    ``now`` are rejected.
    """

    columns: Mapping[str, str]
    languages: Mapping[str, str]
    product_id: str | None
    now: datetime

    def read(self, record: Record) -> NewComment | Rejected:
        """Parse a record, or reject it with a reason."""
        try:
            return self._comment(record)
        except RowRefused as refused:
            return Rejected(record.line, str(refused), self._id_of(record))

    def _comment(self, record: Record) -> NewComment:
        values = {field: self._text(record, field) for field in self.columns}
        product_id = self.product_id
        return NewComment(
            id=_comment_id(values["id"]),
            product_id=parse_product_id(values["product_id"] if product_id is None else product_id),
            language=self._language(values["language"].strip()),
            rating=_rating(values["rating"].strip()),
            created_at=self._moment("created_at", values["created_at"].strip()),
            author=_line_of_text("author", values.get("author", "")),
            title=_line_of_text("title", values.get("title", "")),
            body=_body(values.get("body", "")),
            reply=self._reply(record, values),
        )

    def _text(self, record: Record, field: str) -> str:
        value = record.values.get(self.columns[field])
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise RowRefused(f"{field} is neither text nor a number")
        text = str(value)
        if not _is_utf8(text):
            raise RowRefused(f"{field} is not UTF-8 text")
        if "\0" in text:
            raise RowRefused(f"{field} holds a NUL character")
        return text

    def _id_of(self, record: Record) -> str:
        value = record.values.get(self.columns["id"])
        return value[:LONGEST_ID] if isinstance(value, str) else ""

    def _language(self, text: str) -> str:
        language = self.languages.get(text.lower(), text.lower())
        if not is_language(language):
            raise RowRefused(
                f"language: “{text[:20]}” is no ISO 639-1 code; --language-map can translate it"
            )
        return language

    def _reply(self, record: Record, values: Mapping[str, str]) -> NewReply | Unsaid | None:
        """Read a reply by the shop; a date without any text is none."""
        if self.columns.get("reply") not in record.values:
            return UNSAID
        text, replied_at = values["reply"], values.get("replied_at", "").strip()
        if not text.strip():
            return None
        if len(text) > LONGEST_REPLY:
            raise RowRefused(f"reply has {len(text):,} characters, more than {LONGEST_REPLY:,}")
        return NewReply(text, self._moment("replied_at", replied_at) if replied_at else None)

    def _moment(self, field: str, text: str) -> datetime:
        try:
            moment = parse_moment(text)
        except ValueError as error:
            raise RowRefused(f"{field}: {error}") from error
        if moment > self.now + LATEST:
            raise RowRefused(f"{field}: “{text}” is in the future")
        return moment


def _is_utf8(text: str) -> bool:
    """Return whether there is no lone surrogate, which stands for a byte that was not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_product_id(text: str) -> str:
    """Check a product's id. Raises RowRefused."""
    if not _PRODUCT_ID.fullmatch(text):
        raise RowRefused(
            f"product_id: “{text[:LONGEST_ID]}” is none: up to 128 of A-Z, a-z, 0-9, “.”, “_” "
            f"and “-”, a letter or digit first"
        )
    return text


def _comment_id(text: str) -> str:
    if not text:
        raise RowRefused("id is missing")
    if len(text) > LONGEST_ID:
        raise RowRefused(f"id has {len(text):,} characters, more than {LONGEST_ID}")
    if not text.isprintable() or text != text.strip():
        raise RowRefused("id holds characters that cannot be seen, or white space at an end")
    if {".", ".."} & set(text.split("/")):
        raise RowRefused("id has a part “.” or “..”, which no address can hold")
    return text


def _rating(text: str) -> int:
    if not _RATING.fullmatch(text):
        raise RowRefused(f"rating: “{text[:20]}” is none of 1, 2, 3, 4, 5")
    return int(text[0])


def _line_of_text(field: str, text: str) -> str:
    if len(text) > LONGEST_LINE_OF_TEXT:
        raise RowRefused(
            f"{field} has {len(text):,} characters, more than {LONGEST_LINE_OF_TEXT:,}"
        )
    return text


def _body(text: str) -> str:
    size = len(text.encode())
    if size > LONGEST_BODY:
        raise RowRefused(f"body has {size:,} bytes, more than {LONGEST_BODY:,}")
    return text
