"""How a file spells comments, and the parsing of one record. The rules are in docs/importing.md."""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from hashlib import blake2b
from html import unescape
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.utils.html import strip_tags

from comments.filters import is_language
from comments.items import UNSAID, NewComment, NewReply, Unsaid
from comments.posting.languages import detect_language
from comments.replies.services import LONGEST_REPLY
from comments.users import has_address, id_field
from dynapages.files.columns import BadMapping, columns_among
from dynapages.files.dates import DateFormats, moment_of
from dynapages.files.identifiers import identifier_of
from dynapages.files.records import Record, Rejected, RowRefused, short_text, text_of

FIELDS = (
    *("id", "product_id", "language", "rating", "created_at", "author", "title", "body"),
    *("reply", "replied_at", "username", "verified", "product_name", "product_external_id"),
)
NEEDED = frozenset({"id", "product_id", "language", "rating", "created_at"})
ADDRESS = "author's address"
"""What is left out of a row whose author is named by an e-mail address; the row is kept."""
ID_FROM = ("product_id", "author", "created_at", "body")
"""What tells comments without ids apart."""
_PRESETS = Path(__file__).parent / "presets.toml"
_LONGEST_COLUMN = 100
"""Characters of a column's name that are compared, and shown when a row is rejected."""

AllowedValues = Mapping[str, Sequence[str]]
"""The values that columns may have, in lower case, by `column_key`."""


@lru_cache(maxsize=1_024)
def _key_of(start: str) -> str:
    return "".join(filter(str.isalnum, start.casefold()))


def column_key(column: str) -> str:
    """Return the letters and digits of a column's name, in lower case.

    Vendors change how they write a name: ``review_status`` became ``Review Status``.
    """
    # Only the start: the cache must not hold names of a million characters.
    return _key_of(column[:_LONGEST_COLUMN])


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest rating of a file, which become 1 and 5."""

    low: Decimal = Decimal(1)
    high: Decimal = Decimal(5)

    def __contains__(self, rating: Decimal) -> bool:
        return self.low <= rating <= self.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"

    def exactly(self, rating: Decimal) -> Decimal:
        """Return a rating on the scale from 1 to 5, not rounded."""
        return 1 + (rating - self.low) * 4 / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Shape:
    """How comments are spelled in a file.

    - ``columns``: the columns of a field that is not named like it, of which the first counts that
      a row has; none where the file does not have the field. ``named`` are the fields whose column
      must be there.
    - ``constants``: the values of fields where a row has none.
    - ``languages``: the codes of the file's languages that are spelled otherwise, in lower case.
    - ``id_from``: the columns or fields whose digest is the id of a row without one.
    - ``only``: a row that has one of these columns is rejected unless its value is allowed.
    - ``public``: by field, such columns too: of a row with another value the field is left out.
    - ``bought``: the values of ``verified`` that mean that the author bought the product, where the
      file does not have true and false; any other value means that it is not known.
    - ``low`` and ``high``: the columns with the scale of a row's rating, instead of ``scale``.
    - ``element``: the name of the elements of XML that are rows.
    - ``rows``: the list in an object of JSON that has the rows.
    - ``decimal``: what is before the decimals of a rating, either of both if it is None.
    - ``id_prefix``: what is put before each id.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: Collection[str] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)
    dates: DateFormats = field(default_factory=DateFormats)
    scale: Scale = field(default_factory=Scale)
    detect_language: bool = False
    id_from: Sequence[str] = ()
    is_html: bool = False
    only: AllowedValues = field(default_factory=dict)
    public: Mapping[str, AllowedValues] = field(default_factory=dict)
    bought: Sequence[str] = ()
    low: str | None = None
    high: str | None = None
    element: str | None = None
    rows: str | None = None
    decimal: str | None = None
    id_prefix: str = ""

    def of(self, name: str) -> Sequence[str]:
        return self.columns.get(name, (name,))

    def under(self, product_id: str) -> "Shape":
        """Return the shape of a file whose comments are all about one product."""
        return replace(
            self,
            columns={**self.columns, "product_id": ()},
            named=[name for name in self.named if name != "product_id"],
            constants={**self.constants, "product_id": product_id},
        )

    def among(self, present: Sequence[str]) -> "Shape":
        """Return the shape of a file that has the columns ``present`` and no others.

        Raises BadMapping for the column of a needed or ``named`` field that is missing, and for a
        column of a field or of ``only`` or ``public`` that is there twice.
        """
        found = {name: [column for column in self.of(name) if column in present] for name in FIELDS}
        for name in FIELDS:
            is_needed = name in self.named or name in self._needed
            wanted = found[name] or self.of(name)
            if wanted:
                columns_among(present, {name: wanted[0]}, needed=[name] if is_needed else [])
            elif is_needed:
                raise BadMapping(f"{name} has no column: give it one, or a value by --set.")
        decisive = self._columns_of_rules
        for column in present:
            if column_key(column) in decisive:
                columns_among(present, {column: column}, needed=[])
        return replace(self, columns=found)

    @property
    def _columns_of_rules(self) -> Collection[str]:
        """The keys of the columns that decide whether a row or a field is published."""
        found = set(self.only)
        for rules in self.public.values():
            found |= set(rules)
        return found

    @property
    def _needed(self) -> Collection[str]:
        replaced = {*self.constants}
        replaced |= {"id"} if self.id_from else set()
        replaced |= {"language"} if self.detect_language else set()
        return NEEDED - replaced


@cache
def presets() -> Mapping[str, Mapping[str, Any]]:
    """Return the known exports, by name: what `preset` makes a shape of, and ``about``."""
    return tomllib.loads(_PRESETS.read_text("utf-8"))


def preset(name: str) -> Shape:
    """Return the shape of a known export. A row without an id gets one made of `ID_FROM`.

    Raises BadMapping for a name that is not known.
    """
    known = presets()
    if name not in known:
        raise BadMapping(f"There is no preset “{name}”; the presets are: {', '.join(known)}.")
    values = {key: value for key, value in known[name].items() if key != "about"}
    values["only"] = _by_column_key(values.get("only", {}))
    public = values.get("public", {})
    values["public"] = {field: _by_column_key(rules) for field, rules in public.items()}
    return Shape(**{"id_from": ID_FROM, **values})


def _by_column_key(rules: Mapping[str, Sequence[str]]) -> AllowedValues:
    return {column_key(column): allowed for column, allowed in rules.items()}


def scale_of(text: str) -> Scale:
    """Parse ``10..50``. Raises BadMapping."""
    low, dots, high = text.partition("..")
    if not (dots and low.strip().isdecimal() and high.strip().isdecimal() and int(low) < int(high)):
        raise BadMapping(f"“{text}” is no scale of ratings such as 0..10 or 10..50.")
    return Scale(Decimal(low), Decimal(high))


LONGEST_ID = 128
LONGEST_LINE_OF_TEXT = 1_000
"""Characters of an author or title."""
LONGEST_USER_ID = 254
LONGEST_BODY = 100_000
"""Bytes of UTF-8."""
LATEST = timedelta(days=1)
"""How far ahead of now a comment may be dated: clocks and time zones differ."""

_RATING = re.compile(r"\d{1,4}(?:[.,]\d{1,9})?", re.ASCII)
_GROUPED = re.compile(r"\d+|\d{1,3}(?:_\d{3})+", re.ASCII)
_REGION = re.compile(r"([A-Za-z]{2})[-_].+")
_YES, _NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no", ""})
_BREAK = re.compile(r"\s*(?:<br\s*/?>|</(?:p|div|li)>)\s*", re.IGNORECASE)
_ID_BYTES = 12


@dataclass(slots=True)
class Findings:
    """What was found in the rows that were read, and how many of them needed a guess.

    ``spelled`` are the languages as the file has them; ``products`` are the file's ids of products
    that could not be kept, by those they were mapped to. ``left_out`` counts the values of fields
    that are not public. Of the latest row, ``product_before`` is such an id that an export of this
    shop tells, and ``product_name`` what it calls the product.
    """

    spelled: set[str] = field(default_factory=set)
    made_ids: int = 0
    guessed_languages: int = 0
    rounded_ratings: int = 0
    dated_by_month: int = 0
    products: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    product_before: str = ""
    product_name: str = ""


@dataclass(slots=True)
class _Row:
    """A record, what had to be guessed of it, and the fields that were left out of it."""

    record: Record
    values: dict[str, str]
    spelled: str = ""
    is_id_made: bool = False
    is_language_guessed: bool = False
    is_rating_rounded: bool = False
    is_dated_by_month: bool = False
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CommentParser:
    """Parses a file's records into comments; those dated over a day after ``now`` are rejected."""

    shape: Shape
    now: datetime
    findings: Findings = field(default_factory=Findings)

    def read(self, record: Record) -> NewComment | Rejected:
        """Parse a record, or reject it with a reason."""
        try:
            row = _Row(record, {name: self._text(record, name) for name in FIELDS})
            comment = self._comment(row)
        except RowRefused as refused:
            return Rejected(record.line, str(refused), self._id_of(record))
        self._note(row)
        return comment

    def _comment(self, row: _Row) -> NewComment:
        self._require_published(row.record)
        self._leave_out_private(row)
        values = row.values
        return NewComment(
            id=self._comment_id(row),
            product_id=self._product_id(values),
            language=self._language(row),
            rating=self._rating(row),
            created_at=self._moment(row, "created_at"),
            author=short_text("author", values["author"], LONGEST_LINE_OF_TEXT),
            title=short_text("title", values["title"], LONGEST_LINE_OF_TEXT),
            body=_body(values["body"]),
            user_id=_user_id(values["username"]),
            verified=self._is_verified(values["verified"]),
            reply=self._reply(row),
        )

    def _note(self, row: _Row) -> None:
        findings = self.findings
        findings.made_ids += row.is_id_made
        findings.guessed_languages += row.is_language_guessed
        findings.rounded_ratings += row.is_rating_rounded
        findings.dated_by_month += row.is_dated_by_month
        findings.left_out.update(row.left_out)
        if row.spelled:
            findings.spelled.add(row.spelled)

    def _text(self, record: Record, name: str) -> str:
        columns = self.shape.of(name)
        values = (record.values.get(column) for column in columns)
        found = next((value for value in values if value not in (None, "")), "")
        text = _plain(name, found) or self.shape.constants.get(name, "")
        is_html = self.shape.is_html and name in {"title", "body", "reply"}
        # Of HTML the text, with a line for each paragraph.
        return unescape(strip_tags(_BREAK.sub("\n", text))).strip() if is_html else text

    def _id_of(self, record: Record) -> str:
        values = (record.values.get(column) for column in self.shape.of("id"))
        return next((v[:LONGEST_ID] for v in values if isinstance(v, str)), "")

    def _require_published(self, record: Record) -> None:
        column = _column_not_allowed(record, self.shape.only)
        if column is None:
            return
        value = _word(record.values[column])
        found = f"“{value[:20]}”" if value else "empty"
        allowed = " or ".join(self.shape.only[column_key(column)])
        raise RowRefused(f"{column[:_LONGEST_COLUMN]} is {found}: only {allowed} is imported")

    def _leave_out_private(self, row: _Row) -> None:
        for name, rules in self.shape.public.items():
            has_value = bool(row.values[name].strip())
            if has_value and _column_not_allowed(row.record, rules) is not None:
                row.values[name] = ""
                row.left_out.append(name)
        if has_address(row.values["author"]):
            row.values["author"] = ""
            row.left_out.append(ADDRESS)

    def _is_verified(self, text: str) -> bool:
        if self.shape.bought:
            return _word(text) in self.shape.bought
        return _flag("verified", text)

    def _comment_id(self, row: _Row) -> str:
        found = row.values["id"]
        if not found and self.shape.id_from:
            row.is_id_made = True
            parts = [self._part(row, name) for name in self.shape.id_from]
            found = blake2b("\x1f".join(parts).encode(), digest_size=_ID_BYTES).hexdigest()
        return comment_id_of(found, prefix=self.shape.id_prefix)

    def _product_id(self, values: Mapping[str, str]) -> str:
        original = values["product_id"].strip()
        if not original:
            raise RowRefused("product_id is missing")
        short_text("product_id", original, LONGEST_LINE_OF_TEXT)  # it is kept as the name
        product_id = identifier_of(original)
        if product_id != original:
            self.findings.products[product_id] = original
        self.findings.product_name = values["product_name"].strip()[:LONGEST_LINE_OF_TEXT]
        self.findings.product_before = values["product_external_id"][:LONGEST_LINE_OF_TEXT]
        return product_id

    def _part(self, row: _Row, name: str) -> str:
        """Return what an id is made from: a field, or any other column of the file."""
        if name in row.values:
            return row.values[name].strip()
        return _plain(name, row.record.values.get(name)).strip()

    def _language(self, row: _Row) -> str:
        columns, values = self.shape.of("language"), row.record.values
        is_given = any(values.get(column) not in (None, "") for column in columns)
        if self.shape.detect_language and not is_given:
            text = f"{row.values['title']}\n{row.values['body']}"
            if guessed := detect_language(text):
                row.is_language_guessed = True
                return guessed
            if not row.values["language"]:
                raise RowRefused("language: the text does not tell it: --set language=en gives one")
        spelled = row.values["language"].strip()
        language = self.shape.languages.get(spelled.lower())
        if language is None:
            row.spelled = _REGION.sub(r"\1", spelled)
            language = row.spelled.lower()
        if not is_language(language):
            raise RowRefused(
                f"language: “{spelled[:20]}” is no ISO 639-1 code: --language-map can translate "
                f"it, and --detect-language finds one where there is none"
            )
        return language

    def _rating(self, row: _Row) -> int:
        text, scale = row.values["rating"].strip(), self._scale(row.record)
        number = _ungrouped(text, self.shape.decimal)
        if not _RATING.fullmatch(number) or (rating := _number(number)) not in scale:
            raise RowRefused(f"rating: “{text[:20]}” is no number from {scale}")
        exact = scale.exactly(rating)
        rounded = exact.to_integral_value(ROUND_HALF_UP)
        row.is_rating_rounded = rounded != exact
        return int(rounded)

    def _scale(self, record: Record) -> Scale:
        columns = self.shape.low, self.shape.high
        bounds = [str(record.values.get(column, "")) for column in columns if column]
        if not bounds or not all(_RATING.fullmatch(bound) for bound in bounds):
            return self.shape.scale
        low, high = map(_number, bounds)
        return Scale(low, high) if low < high else self.shape.scale

    def _reply(self, row: _Row) -> NewReply | Unsaid | None:
        """Read a reply by the shop; a date without any text is none."""
        text, has_date = row.values["reply"], bool(row.values["replied_at"].strip())
        columns = self.shape.of("reply")
        if not text and not any(column in row.record.values for column in columns):
            return UNSAID
        if not text.strip():
            return None
        short_text("reply", text, LONGEST_REPLY)
        return NewReply(text, self._moment(row, "replied_at") if has_date else None)

    def _moment(self, row: _Row, name: str) -> datetime:
        text = row.values[name].strip()
        moment = moment_of(name, text, self.shape.dates)
        row.is_dated_by_month |= self.shape.dates.is_without_day(text)
        if moment > self.now + LATEST:
            raise RowRefused(f"{name}: “{text}” is in the future")
        return moment


def _column_not_allowed(record: Record, rules: AllowedValues) -> str | None:
    """Return the first column of a record whose value is not among those it may have.

    A column that a record does not have breaks no rule; one that is empty does.
    """
    for column, value in record.values.items():
        allowed = rules.get(column_key(column))
        if allowed is not None and _word(value) not in allowed:
            return column
    return None


def _word(value: object) -> str:
    """Return a value as a word in lower case; the booleans of JSON are words too."""
    return "" if value is None else str(value).strip().lower()


def _plain(name: str, value: object) -> str:
    return str(value) if name == "verified" and isinstance(value, bool) else text_of(name, value)


def comment_id_of(text: str, *, prefix: str = "") -> str:
    """Return the id of a comment, with what is put before all of a file. Raises RowRefused."""
    if not text:
        raise RowRefused("id is missing")
    text = prefix + text
    short_text("id", text, LONGEST_ID)
    if not text.isprintable() or text != text.strip():
        raise RowRefused("id holds characters that cannot be seen, or white space at an end")
    if {".", ".."} & set(text.split("/")):
        raise RowRefused("id has a part “.” or “..”, which no address can hold")
    return text


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def _ungrouped(text: str, decimal: str | None) -> str:
    """Return a number without separators of thousands; with others of decimals it is none."""
    if decimal is None:
        return text
    whole, mark, decimals = text.partition(decimal)
    group = "," if decimal == "." else "."
    is_grouped = _GROUPED.fullmatch(whole.replace(group, "_"))
    return whole.replace(group, "") + mark + decimals if is_grouped else ""


def _flag(name: str, text: str) -> bool:
    word = text.strip().lower()
    if word not in _YES | _NO:
        raise RowRefused(f"{name}: “{text[:20]}” is neither true nor false")
    return word in _YES


def _user_id(text: str) -> str:
    """Return the id of a user as the project's user model spells it, or "".

    What an id may be is for its field to say; ``#`` separates the parts of keys.
    """
    if not text:
        return ""
    if has_address(text):
        raise RowRefused("username is an e-mail address: the id of the user is needed")
    users, field = get_user_model(), id_field()
    if field.name == users.USERNAME_FIELD:
        text = users.normalize_username(text)
    try:
        user_id = str(field.clean(text, None))
    except ValidationError as error:
        raise RowRefused(f"username: {error.messages[0]}") from error
    if user_id.casefold() != text.strip().casefold():  # a number can be written in many ways
        raise RowRefused(f"username: “{text[:20]}” is not written as ids of users are")
    if "#" in user_id:
        raise RowRefused("username holds a “#”")
    return short_text("username", user_id, LONGEST_USER_ID)


def _body(text: str) -> str:
    size = len(text.encode())
    if size > LONGEST_BODY:
        raise RowRefused(f"body has {size:,} bytes, more than {LONGEST_BODY:,}")
    return text
