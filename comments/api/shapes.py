"""What the operations on comments take and answer."""

from typing import Annotated

from ninja import Path
from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema
from typing_extensions import TypeAliasType

from comments.filters import MOST_LANGUAGES, all_languages, is_language
from comments.lists.entries import CommentEntry
from comments.lists.orders import CommentOrder
from comments.moderation.services import Decision
from comments.posting import forms
from comments.posting import services as posting
from comments.posting.languages import detect_language
from comments.replies import services as replies
from comments.reports import services as reports
from comments.search.words import LONGEST_SEARCH, MOST_WORDS
from comments.store.states import State
from dynapages.ninja import (
    IdText,
    Listing,
    Moment,
    QueryParameters,
    RequestBody,
    ResponseBody,
    StrictNumber,
)


def _language(code: str) -> str:
    if not is_language(code):
        raise ValueError("use a two-letter ISO 639-1 code such as en, de or pt")
    return code


# An alias with a name is a component of the document: programs have one type for all of these.
Language = TypeAliasType(
    "Language",
    Annotated[
        str,
        AfterValidator(_language),
        WithJsonSchema(
            {
                "title": "Language",
                "description": "A language by its code of two letters (ISO 639-1).",
                "type": "string",
                "enum": sorted(code for code, _name in all_languages()),
            }
        ),
    ],
)
ProductId = Annotated[IdText, Path(description="The id of a product.")]
CommentId = Annotated[
    IdText, Path(description="The id of a comment. That of an imported one may have slashes.")
]
Username = Annotated[IdText, Path(description="The “username” of a comment: its author.")]
LEAST_STARS, MOST_STARS = 1, 5
Stars = Annotated[int, Field(ge=LEAST_STARS, le=MOST_STARS)]
"""In a query, where all values are text."""
Rating = Annotated[StrictNumber, Field(ge=LEAST_STARS, le=MOST_STARS)]
"""In a body."""
Text = Annotated[str, StringConstraints(pattern=r"^[^\u0000]*$")]
Words = Annotated[str, StringConstraints(pattern=r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
Version = Annotated[StrictNumber, Field(ge=0, le=2**53)]


class ProductLink(ResponseBody):
    """A product by its name."""

    id: str
    name: str
    url: str


class ReplyOut(ResponseBody):
    """The shop's reply to a comment."""

    text: str
    is_excerpt: bool = Field(validation_alias="is_long")
    created: Moment | None = Field(validation_alias="replied")
    version: int


class CommentOut(ResponseBody):
    """A comment; where ``is_excerpt``, its own address has the whole text.

    ``username`` stands for its author in addresses, and is empty for an imported one. ``product``
    is there in lists of several, ``has_voted`` with a key of a user, ``helpful_votes`` where the
    list is sorted by them. Alone it has a ``version``, which its author edits, and for
    staff a ``revision`` to decide on.
    """

    id: str
    url: str
    product_id: str
    product: ProductLink | None = None
    language: str
    rating: int
    created: Moment
    edited: Moment | None
    author: str
    username: str = Field(validation_alias="user_slug")
    title: str
    text: str
    is_excerpt: bool = Field(validation_alias="is_long")
    is_verified_purchase: bool = Field(validation_alias="is_verified")
    is_hidden: bool
    reply: ReplyOut | None
    helpful_votes: int | None = None
    has_voted: bool | None = None
    version: int | None = None
    revision: str | None = None


class LovedOut(ResponseBody):
    """A product by the number of its 5-star comments; numbers count from 1."""

    number: int
    product: ProductLink
    five_star_comments: int = Field(validation_alias="five_stars")


class CommentedOut(ResponseBody):
    """A product by the time of its last comment."""

    number: int
    product: ProductLink
    last_commented: Moment = Field(validation_alias="commented")
    comment_id: str
    comment_url: str


class DraftIn(RequestBody):
    """The content of a comment; without ``language`` that of the text is detected."""

    rating: Rating
    title: Text = Field("", max_length=forms.LONGEST_TITLE)
    text: Text = Field("", max_length=forms.LONGEST_TEXT)
    language: Language | None = None

    @property
    def draft(self) -> posting.Draft:
        # Line ends are stored in one form, whatever a program sends.
        text = self.text.replace("\r\n", "\n").replace("\r", "\n").strip()
        title = " ".join(self.title.split())
        language = self.language or detect_language(f"{title}\n{text}") or forms.DEFAULT_LANGUAGE
        return posting.Draft(self.rating, language, title, text)


class EditIn(DraftIn):
    """A comment as it is to be, from the version that was read."""

    version: Version


class ReportIn(RequestBody):
    """What is wrong with a comment."""

    reason: reports.Reason
    text: Text = Field("", max_length=reports.LONGEST_TEXT)


class ReplyIn(RequestBody):
    """A reply; ``version`` is of the one it replaces, 0 for none."""

    text: Words = Field(min_length=1, max_length=replies.LONGEST_REPLY)
    version: Version = 0


class DecisionIn(RequestBody):
    """A decision, on the ``revision`` that was seen, or without one on the comment as it is."""

    decision: Decision
    revision: str | None = Field(None, pattern=rf"^({'|'.join(State)})(\.[0-9]{{1,9}}){{2}}$")


class WordOut(ResponseBody):
    """A word of a search that is common in a language, so that it is not looked for there."""

    word: str
    language: str


class SearchOut(ResponseBody):
    """What a search looked for by the end of a page, and where.

    ``words`` are as typed. ``languages`` were searched on this page and those in front of it,
    ``languages_to_come`` are on later ones. In ``languages_left_out`` all words are common, so that
    nothing is searched there. ``ignored`` are parts of the text without a letter or digit, and
    single characters of scripts without spaces, which are searched in pairs alone.
    """

    words: list[str]
    languages: list[str]
    languages_to_come: list[str]
    languages_left_out: list[str]
    words_left_out: list[WordOut]
    ignored: list[str]


class CommentListing(Listing[CommentOut]):
    """A page of comments."""


class LovedListing(Listing[LovedOut]):
    """A page of products by the number of their 5-star comments."""


class CommentedListing(Listing[CommentedOut]):
    """A page of products by the time of their last comment."""


class ProductCommentListing(CommentListing):
    """A page of a product's comments.

    ``reached`` says of a page that is short how far its reading has come; it is null where the page
    is full or the list ends, and in a list by rating. ``search`` is null without ``q``.
    """

    reached: Moment | None
    search: SearchOut | None


class Filter(QueryParameters):
    """``q`` is words that all have to be in a comment; only staff find ``hidden`` ones."""

    language: list[Language] = Field(
        [],
        max_length=MOST_LANGUAGES,
        description="Comments in any of these languages; without one, in all.",
    )
    rating: list[Stars] = Field(
        [], max_length=5, description="Comments with any of these stars; without one, with all."
    )
    order: CommentOrder = Field(
        CommentOrder.NEWEST, description="By time, or by stars and then the newest first."
    )
    q: str | None = Field(
        None,
        description=f"Up to {MOST_WORDS} words of {LONGEST_SEARCH} characters in all, where blanks "
        "in a row count as one. Without any, no search.",
    )
    hidden: bool = Field(
        default=False, description="Whether a search finds hidden comments too; for staff alone."
    )


class VoteOut(ResponseBody):
    """A vote, and how many there are; null where that could not be read."""

    has_voted: bool
    helpful_votes: int | None


def comment_out(
    comment: CommentEntry, voted: frozenset[str] | None = None, **more: object
) -> CommentOut:
    """Return a comment with what only some answers have of it."""
    # Who has no key of a user is not told that they have not voted.
    has_voted = None
    if voted is not None:
        has_voted = comment.id in voted
    return CommentOut.model_validate(comment).model_copy(update={"has_voted": has_voted, **more})
