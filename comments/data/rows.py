"""The parsing of a file's records into comments, and what was found out about the file by it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP
from hashlib import blake2b

from comments.data import values
from comments.data.languages import code_before_region, iso_639_1
from comments.data.ratings import Scale, exact_rating, number_in
from comments.data.shapes import (
    FIELDS,
    HTML,
    LONGEST_COLUMN,
    PICTURES,
    PLAIN,
    TEXT_FORMATS,
    AllowedValues,
    Shape,
    column_key,
)
from comments.filters import is_language
from comments.items import UNKNOWN_REPLY, NewComment, NewReply, NewState, UnknownReply
from comments.posting.languages import detect_language
from comments.replies.services import LONGEST_REPLY
from comments.users import has_address
from dynapages.files.dates import moment_of
from dynapages.files.html_text import has_html, text_of_html
from dynapages.files.identifiers import identifier_of
from dynapages.files.records import Record, Rejected, RowRefused, short_text

ADDRESS = "author's address"
"""What is left out of a row whose author is named by an e-mail address; the row is kept."""
LONGEST_LINE_OF_TEXT = 1_000
"""Characters of an author or title."""
LATEST = timedelta(days=1)
"""How far ahead of now a comment may be dated: clocks and time zones differ."""
_TEXTS = ("author", "title", "body", "reply", "product_name")
"""The fields that may be HTML."""
_OF_LINES = frozenset(("body", "reply"))
"""Those of them that may have several lines."""
_MADE_ID_BYTES = 12
_EMPTY = (None, "")


@dataclass(slots=True)
class Findings:
    """What was found in the rows that were read, and how many of them needed a guess.

    ``language_codes`` are those of the file as it has them; ``products`` are the file's ids of
    products that could not be kept, by those they were mapped to. ``left_out`` counts the values of
    fields that are not public, and ``states`` the rows that are hidden or held. Of the latest row,
    ``product_before`` is such an id that an export of this shop has, and ``product_name`` what it
    calls the product.
    """

    language_codes: set[str] = field(default_factory=set)
    made_ids: int = 0
    guessed_languages: int = 0
    rounded_ratings: int = 0
    html_rows: int = 0
    dated_by_month: int = 0
    products: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    states: Counter[NewState] = field(default_factory=Counter)
    with_pictures: int = 0
    product_before: str = ""
    product_name: str = ""


@dataclass(slots=True)
class _Row:
    """A record with the texts of its fields, what had to be guessed, and what was left out.

    ``as_written`` are those texts that were HTML, as the file has them.
    """

    record: Record
    texts: dict[str, str]
    as_written: dict[str, str] = field(default_factory=dict)
    language_code: str = ""
    is_id_made: bool = False
    is_language_guessed: bool = False
    is_rating_rounded: bool = False
    is_dated_by_month: bool = False
    left_out: list[str] = field(default_factory=list)

    def empty(self, name: str, left_out: str) -> None:
        """Empty a field, and note what was left out by that."""
        self.texts[name] = ""
        self.as_written.pop(name, None)
        self.left_out.append(left_out)


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
            return Rejected(record.line, str(refused), self._shown_id(record))
        self._add_findings(row)
        if comment.state is not NewState.PUBLISHED:
            self.findings.states[comment.state] += 1
        return comment

    def _comment(self, row: _Row) -> NewComment:
        """Parse a row. Raises RowRefused."""
        self._require_published(row.record)
        self._make_plain(row)
        self._leave_out_private(row)
        texts = row.texts
        return NewComment(
            id=self._comment_id(row),
            product_id=self._product_id(row),
            language=self._language(row),
            rating=self._rating(row),
            created_at=self._moment(row, "created_at"),
            author=short_text("author", texts["author"], LONGEST_LINE_OF_TEXT),
            title=short_text("title", texts["title"], LONGEST_LINE_OF_TEXT),
            body=values.body_from(texts["body"]),
            user_id=values.user_id_from(texts["username"]),
            verified=self._is_verified(texts["verified"]),
            reply=self._reply(row),
            helpful=values.votes_from("helpful", texts["helpful"]),
            exported_votes=values.votes_from("exported_votes", texts["exported_votes"]),
            state=self._state(row),
        )

    def _add_findings(self, row: _Row) -> None:
        """Add what was found in a row to the findings about the file."""
        findings = self.findings
        findings.made_ids += row.is_id_made
        findings.guessed_languages += row.is_language_guessed
        findings.rounded_ratings += row.is_rating_rounded
        findings.html_rows += bool(row.as_written)
        findings.dated_by_month += row.is_dated_by_month
        findings.left_out.update(row.left_out)
        findings.with_pictures += self._has_pictures(row.record)
        if row.language_code:
            findings.language_codes.add(row.language_code)

    # Texts

    def _text(self, record: Record, name: str) -> str:
        """Return the text of a field: of the first column that has one, else the constant."""
        text = values.plain_text(name, _first_value(record, self.shape.of(name)))
        if not text:
            text = self.shape.constants.get(name, "")
        return text

    def _make_plain(self, row: _Row) -> None:
        """Make the texts that are HTML plain, unless the row or an option says that they are not.

        Raises RowRefused.
        """
        text_format = values.word_of(row.texts["text_format"])
        if text_format not in TEXT_FORMATS:
            raise RowRefused(
                f"text_format: “{text_format[:20]}” is neither {PLAIN} nor {HTML}; it is not read "
                f"with --columns text_format="
            )
        if self.shape.keep_html or text_format == PLAIN:
            return
        for name in _TEXTS:
            text = row.texts[name]
            if text and (text_format == HTML or has_html(text)):
                row.as_written[name] = text
                plain = text_of_html(text)
                if name not in _OF_LINES:
                    plain = " ".join(plain.split())
                row.texts[name] = plain

    def _shown_id(self, record: Record) -> str:
        """Return the id of a rejected row for the list of these; empty where it has none."""
        for column in self.shape.of("id"):
            shown = record.shown(column)
            if shown:
                return shown
        return ""

    # What is public

    def _require_published(self, record: Record) -> None:
        """Raise RowRefused for a row whose vendor does not show it."""
        column = _column_not_allowed(record, self.shape.only)
        if column is None:
            return
        word = values.word_of(record.values[column])
        said = "empty"
        if word:
            said = f"“{word[:20]}”"
        allowed = " or ".join(self.shape.only[column_key(column)])
        raise RowRefused(f"{column[:LONGEST_COLUMN]} is {said}: only {allowed} is imported")

    def _leave_out_private(self, row: _Row) -> None:
        """Empty the fields of a row that are not public, and note which."""
        for name, rules in self.shape.public.items():
            has_text = bool(row.texts[name].strip())
            if has_text and _column_not_allowed(row.record, rules) is not None:
                row.empty(name, left_out=name)
        # A name that is an address would be public: the comment is imported without it.
        if has_address(row.texts["author"]):
            row.empty("author", left_out=ADDRESS)

    def _state(self, row: _Row) -> NewState:
        """Return whether a row is published, hidden or held; published where nothing says it."""
        text = row.texts["state"]
        has_column = any(column in row.record.values for column in self.shape.of("state"))
        # A row of JSON may lack the column that an option names, or have it without what is in it.
        says_nothing = not has_column and "state" not in self.shape.named
        if not text.strip() and says_nothing:
            return NewState.PUBLISHED
        word = values.word_of(text)
        if word in self.shape.states:
            return self.shape.states[word]
        # An unknown word is taken for none of them: what is private must stay private.
        if word not in set(NewState):
            raise RowRefused(
                f"state: “{text[:20]}” is none of {', '.join(NewState)}: --state-map says which it "
                f"means, --set state=published what an empty one means, and --columns state= that "
                f"the column is something else"
            )
        return NewState(word)

    def _has_pictures(self, record: Record) -> bool:
        """Return whether a row has addresses of pictures, which are not kept."""
        columns = self.shape.of(PICTURES)
        return any(values.is_filled(record.values.get(column)) for column in columns)

    def _is_verified(self, text: str) -> bool:
        if self.shape.bought:
            return values.is_among(values.word_of(text), self.shape.bought)
        return values.is_yes("verified", text)

    # Ids

    def _comment_id(self, row: _Row) -> str:
        """Return the id of a comment, made of other columns where the row has none."""
        text = row.texts["id"]
        if not text and self.shape.id_from:
            row.is_id_made = True
            parts = [self._part_of_id(row, name) for name in self.shape.id_from]
            digest = blake2b("\x1f".join(parts).encode(), digest_size=_MADE_ID_BYTES)
            text = digest.hexdigest()
        return values.comment_id_from(text, prefix=self.shape.id_prefix)

    def _part_of_id(self, row: _Row, name: str) -> str:
        """Return what an id is made from: a field, or any other column of the file."""
        if name in row.texts:
            # As the file has it: an id must not depend on how HTML is made plain, or whether.
            return row.as_written.get(name, row.texts[name]).strip()
        return values.plain_text(name, row.record.values.get(name)).strip()

    def _product_id(self, row: _Row) -> str:
        """Return the product's id, mapped to an allowed one, and note what the row calls it."""
        original = row.texts["product_id"].strip()
        if not original:
            raise RowRefused("product_id is missing")
        # An id that has to be mapped is kept as the product's name.
        short_text("product_id", original, LONGEST_LINE_OF_TEXT)
        product_id = identifier_of(original)
        # Ids of other systems hold what addresses of pages cannot.
        if product_id != original:
            self.findings.products[product_id] = original
        name, former_id = row.texts["product_name"], row.texts["product_external_id"]
        self.findings.product_name = name.strip()[:LONGEST_LINE_OF_TEXT]
        self.findings.product_before = former_id[:LONGEST_LINE_OF_TEXT]
        return product_id

    # Language

    def _language(self, row: _Row) -> str:
        """Return the code of a comment's language, guessed from its text where none is given."""
        if self.shape.detect_language and not self._has_language(row.record):
            guessed = detect_language(f"{row.texts['title']}\n{row.texts['body']}")
            if guessed:
                row.is_language_guessed = True
                return guessed
            if not row.texts["language"]:
                raise RowRefused("language: the text does not tell it: --set language=en gives one")
        in_file = row.texts["language"].strip()
        language = self.shape.languages.get(in_file.lower())
        if language is None:
            row.language_code = code_before_region(in_file)
            language = iso_639_1(row.language_code)
        if not is_language(language):
            raise RowRefused(
                f"language: “{in_file[:20]}” is no ISO 639-1 code: --language-map can translate "
                f"it, and --detect-language finds one where there is none"
            )
        return language

    def _has_language(self, record: Record) -> bool:
        """Return whether a record names a language itself, without the constant."""
        return _first_value(record, self.shape.of("language")) not in _EMPTY

    # Rating

    def _rating(self, row: _Row) -> int:
        """Return a rating from 1 to 5, rounded from the scale of the row."""
        text, scale = row.texts["rating"].strip(), self._scale(row.record)
        exact = exact_rating(text, scale, self.shape.ratings, self.shape.decimal)
        # A scale of ten, say, has ratings between the five stars.
        rounded = exact.to_integral_value(ROUND_HALF_UP)
        row.is_rating_rounded = rounded != exact
        return int(rounded)

    def _scale(self, record: Record) -> Scale:
        """Return the scale that a record names, else that of the file."""
        if self.shape.low is None or self.shape.high is None:
            return self.shape.scale
        low = number_in(str(record.values.get(self.shape.low, "")))
        high = number_in(str(record.values.get(self.shape.high, "")))
        if low is None or high is None or low >= high:
            return self.shape.scale
        return Scale(low, high)

    # Reply and dates

    def _reply(self, row: _Row) -> NewReply | UnknownReply | None:
        """Read a reply by the shop; a date without any text is none."""
        # A file without the column says nothing: a reply that is stored stays.
        text = row.texts["reply"]
        has_column = any(column in row.record.values for column in self.shape.of("reply"))
        if not text and not has_column:
            return UNKNOWN_REPLY
        if not text.strip():
            return None
        short_text("reply", text, LONGEST_REPLY)
        if not row.texts["replied_at"].strip():
            return NewReply(text)
        return NewReply(text, self._moment(row, "replied_at"))

    def _moment(self, row: _Row, name: str) -> datetime:
        """Return a date as a moment, which must not be in the future."""
        text = row.texts[name].strip()
        moment = moment_of(name, text, self.shape.dates)
        if self.shape.dates.is_without_day(text):
            row.is_dated_by_month = True
        if moment > self.now + LATEST:
            raise RowRefused(f"{name}: “{text}” is in the future")
        return moment


def _first_value(record: Record, columns: Sequence[str]) -> object:
    """Return the value of the first of these columns that has one; empty where none has."""
    for column in columns:
        value = record.values.get(column)
        if value not in _EMPTY:
            return value
    return ""


def _column_not_allowed(record: Record, rules: AllowedValues) -> str | None:
    """Return the first column of a record whose value is not among those it may have.

    A column that a record does not have breaks no rule; one that is empty does.
    """
    for column, value in record.values.items():
        allowed = rules.get(column_key(column))
        if allowed is not None and not values.is_among(values.word_of(value), allowed):
            return column
    return None
