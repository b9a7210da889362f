"""What the operations on comments take and answer."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import NoReverseMatch
from django.utils.translation import gettext_lazy
from ninja import Path
from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema
from typing_extensions import TypeAliasType

from comments.filters import MOST_LANGUAGES, all_languages, is_language, unknown_language
from comments.host import Product
from comments.lists.entries import CommentEntry
from comments.lists.orders import MONTH, CommentOrder
from comments.lists.topics import TopicGroup
from comments.moderation.services import Decision
from comments.posting import forms
from comments.posting import services as posting
from comments.posting.languages import detect_language
from comments.replies import services as replies
from comments.reports import services as reports
from comments.search.words import LONGEST_SEARCH, MOST_WORDS
from comments.store.states import State
from dynapages.ninja import (
    Address,
    ApiAddress,
    Conflict,
    IdText,
    Listing,
    Moment,
    PartialBody,
    PlainText,
    QueryParameters,
    RequestBody,
    ResponseBody,
    StrictNumber,
    TextForm,
    api_address,
)

PRODUCT_OPERATION = "get_product"
"""The name of the operation that answers a product, in an API that has one."""
LIST_OPERATION = "list_comments"
"""The name of the operation that lists a product's comments."""

# Values. Patterns are for the document alone: what is wrong is said in a sentence.


def _language(code: str) -> str:
    if not is_language(code):
        raise ValueError(unknown_language(code))
    return code


def _product_api_url(product_id: str, info: ValidationInfo[Any]) -> str | None:
    """Return the address of a product in the API, None in one that has no operation for it."""
    with suppress(NoReverseMatch):
        return api_address(info.context["request"], PRODUCT_OPERATION, product_id)
    return None


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
CommentAddress = Annotated[
    Address, ApiAddress("get_comment"), Field(description="The address of the comment here.")
]
ProductId = Annotated[IdText, Path(description="The id of a product.")]
CommentId = Annotated[
    IdText, Path(description="The id of a comment. That of an imported one may have slashes.")
]
Username = Annotated[IdText, Path(description="The “username” of a comment: its author.")]
LEAST_STARS, MOST_STARS = 1, 5
Stars = Annotated[int, Field(ge=LEAST_STARS, le=MOST_STARS)]
"""In a query, where all values are text."""
Rating = Annotated[StrictNumber, Field(ge=LEAST_STARS, le=MOST_STARS, description="Stars.")]
"""In a body."""
Words = Annotated[
    str,
    TextForm(
        r"[^\u0000]*[^\s\u0000][^\u0000]*",
        gettext_lazy("Write some words: not blanks alone, and without the character NUL."),
    ),
]
Version = Annotated[StrictNumber, Field(ge=0, le=2**53)]
RevisionText = Annotated[
    str,
    TextForm(
        rf"({'|'.join(State)})(\.[0-9]{{1,9}}){{2}}",
        gettext_lazy("Send the comment's “revision” as it was answered, such as LISTED.3.0."),
    ),
]
Month = Annotated[
    str,
    TextForm(MONTH, gettext_lazy("A month is written as 2026-03.")),
]


# What is answered


class ProductLink(ResponseBody):
    """A product by its name; ``api_url`` is null where the API has no operation for it."""

    id: str
    name: str
    url: Address
    """Its page."""
    api_url: Annotated[Address | None, AfterValidator(_product_api_url)] = Field(
        validation_alias="id"
    )
    """Its address here, null where there is no operation for it."""


class ReplyOut(ResponseBody):
    """The shop's reply to a comment."""

    text: str
    is_excerpt: bool = Field(validation_alias="is_long")
    """Whether the text is cut off; alone, the comment has the whole one."""
    created: Moment | None = Field(validation_alias="replied")
    """Null where it is not known."""
    version: int
    """What a change of the reply says that it has read."""


class CommentOut(ResponseBody):
    """A comment; alone it has fields that are null in lists."""

    id: str
    url: Address
    """Its page."""
    api_url: CommentAddress = Field(validation_alias="id")
    product_id: str
    product: ProductLink | None = None
    """Only in lists of comments on several products."""
    language: str
    rating: int
    """Stars, 1 to 5."""
    created: Moment
    edited: Moment | None
    """When it was edited last, null where it never was."""
    author: str
    """The name that is shown."""
    username: str = Field(validation_alias="user_slug")
    """What stands for its author in addresses; empty for an imported comment."""
    title: str
    text: str
    is_excerpt: bool = Field(validation_alias="is_long")
    """Whether the text is cut off; alone, the comment has the whole one."""
    is_verified_purchase: bool = Field(validation_alias="is_verified")
    """Whether its author has bought the product, as far as the shop knows."""
    is_hidden: bool
    """Whether only its author and staff see it."""
    reply: ReplyOut | None
    """Null without one."""
    helpful_votes: int | None = None
    """How many found it helpful; null in searches, and in lists if hidden or kept without votes."""
    has_voted: bool | None = None
    """Whether the user of the key has found it helpful; null without one, and in a user's list."""
    version: int | None = None
    """What its author says to have read, to edit it; null in lists."""
    revision: str | None = None
    """What staff decide on; null in lists, and for others."""


class TopicOut(ResponseBody):
    """A word that many comments have, with how many had it when topics were made."""

    word: str
    """In the form that most of the comments have."""
    comments: int
    """How many comments have it, in any form."""
    good: int
    """How many of these have four or five stars."""
    percent_happy: int
    """How many of a hundred of these have four or five stars."""
    url: Address
    """The page with these comments, by a search."""
    api_url: Address
    """The list of these comments here, by the same search."""


class LanguageTopicsOut(ResponseBody):
    """What buyers say about a product in a language."""

    language: Language
    made_at: Moment
    """When the comments were counted."""
    comments: int
    """How many there were in the language."""
    topics: list[TopicOut]


class TopicsOut(ResponseBody):
    """What buyers say about a product; empty where the shop has no topics."""

    languages: list[LanguageTopicsOut]
    """The one with most comments first; without those in which nothing was found."""


class LovedOut(ResponseBody):
    """A product by the number of its 5-star comments."""

    number: int | None
    """Its place, from 1 on; null on pages that are reached from the “last” one."""
    product: ProductLink
    five_star_comments: int = Field(validation_alias="five_stars")


class CommentedOut(ResponseBody):
    """A product by the time of its last comment."""

    number: int | None
    """Its place, from 1 on; null on pages that are reached from the “last” one."""
    product: ProductLink
    last_commented: Moment = Field(validation_alias="commented")
    comment_id: str
    """The last comment on it."""
    comment_url: Address
    """The page of that."""
    comment_api_url: CommentAddress = Field(validation_alias="comment_id")


class CommentConflict(Conflict[CommentOut]):
    """An error; where the comment has changed, ``current`` is what it is now, as it is read.

    To a new comment it comes where the same request was carried out before, and the comment was
    edited since.
    """


class DecisionRefusal(CommentConflict):
    """A decision that was not made.

    ``current`` is the comment as it is now; ``allowed`` are the decisions that lead from its state,
    where the one that was sent does not.
    """

    allowed: list[Decision] | None = None


class ReplyConflict(Conflict[ReplyOut]):
    """An error; where the reply has changed, ``current`` is what it is now, null without one."""


# What is taken


class DraftIn(RequestBody):
    """The content of a comment; without ``language`` that of the text is detected."""

    rating: Rating
    title: PlainText = Field("", max_length=forms.LONGEST_TITLE)
    """On one line: blanks in a row become one."""
    text: PlainText = Field("", max_length=forms.LONGEST_TEXT)
    language: Language | None = None
    """Without it, that of the text is detected."""

    @property
    def draft(self) -> posting.Draft:
        title, text = _title(self.title), _text(self.text)
        return posting.Draft(self.rating, self.language or _detected(title, text), title, text)


class EditIn(DraftIn):
    """A comment as it is to be, from the ``version`` that was read, unless ``If-Match`` says it."""

    version: Version | None = None
    """That was read, unless “If-Match” has it."""


class CommentPatch(PartialBody):
    """Parts of a comment: those that are not sent stay as they are.

    A ``language`` of null is detected in the text anew. ``version`` is the one that was read,
    unless ``If-Match`` says it.
    """

    rating: Rating = LEAST_STARS
    title: PlainText = Field("", max_length=forms.LONGEST_TITLE)
    """On one line: blanks in a row become one."""
    text: PlainText = Field("", max_length=forms.LONGEST_TEXT)
    language: Language | None = None
    """Null: that of the text is detected anew."""
    version: Version | None = None
    """That was read, unless “If-Match” has it."""

    def changed(self, before: posting.Draft) -> posting.Draft:
        """Return the content that a comment has then."""
        rating, title, text, language = before.rating, before.title, before.body, before.language
        if "rating" in self.sent:
            rating = self.rating
        if "title" in self.sent:
            title = _title(self.title)
        if "text" in self.sent:
            text = _text(self.text)
        if "language" in self.sent:
            language = self.language or _detected(title, text)
        return posting.Draft(rating, language, title, text)


def _title(sent: str) -> str:
    """Return a title on one line."""
    return " ".join(sent.split())


def _text(sent: str) -> str:
    """Return a text with its line ends in one form, whatever a program sends."""
    return sent.replace("\r\n", "\n").replace("\r", "\n").strip()


def _detected(title: str, text: str) -> str:
    """Return the language of a comment by its words."""
    return detect_language(f"{title}\n{text}") or forms.DEFAULT_LANGUAGE


class ReportIn(RequestBody):
    """What is wrong with a comment."""

    reason: reports.Reason
    text: PlainText = Field("", max_length=reports.LONGEST_TEXT)
    """More about it, for staff."""


class ReplyIn(RequestBody):
    """A reply, new or in place of the one that was read."""

    text: Words = Field(max_length=replies.LONGEST_REPLY)
    version: Version = 0
    """Of the reply that it replaces, 0 without one."""


class DecisionIn(RequestBody):
    """A decision, on the ``revision`` that was seen, or without one on the comment as it is."""

    decision: Decision
    revision: RevisionText | None = None
    """That was seen; without it, the decision is on the comment as it is."""


# Lists


class WordOut(ResponseBody):
    """A word of a search that is common in a language, so that it is not looked for there."""

    word: str
    language: str
    """The language in which the word is common."""


class SearchOut(ResponseBody):
    """What a search looked for by the end of a page, and where."""

    words: list[str]
    """What was looked for, as typed."""
    languages: list[str]
    """Searched on this page and those in front of it."""
    languages_to_come: list[str]
    """Searched on later pages."""
    languages_left_out: list[str]
    """All words are common in these: nothing is searched there."""
    words_left_out: list[WordOut]
    """Words that are common in a language, and not looked for there."""
    ignored: list[str]
    """Parts without a letter or digit, and single characters of scripts without spaces."""


class CommentListing(Listing[CommentOut]):
    """A page of comments."""


class LovedListing(Listing[LovedOut]):
    """A page of products by the number of their 5-star comments."""


class CommentedListing(Listing[CommentedOut]):
    """A page of products by the time of their last comment."""


class ProductCommentListing(CommentListing):
    """A page of a product's comments."""

    reached: Moment | None
    """How far a short page has looked; null if it is full or the last, and in lists by rating."""
    search: SearchOut | None
    """Null without “q”."""


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
        CommentOrder.NEWEST,
        description="By time; or by stars, or by helpful votes, and then the newest first.",
    )
    month: Month | None = Field(
        None,
        description="In a list by time: the month (UTC) that the first page begins at. Links leave "
        "it out.",
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
    """A vote, and how many there are."""

    has_voted: bool
    helpful_votes: int | None
    """How many there are now; null where that could not be read."""


# From what is read


def comment_out(
    request: HttpRequest,
    comment: CommentEntry,
    voted: frozenset[str] | None = None,
    **more: object,
) -> CommentOut:
    """Return a comment with ``more`` that only some answers have of it."""
    shown = CommentOut.model_validate(comment, context={"request": request})
    # Who has no key of a user is not told that they have not voted.
    if voted is not None:
        shown.has_voted = comment.id in voted
    # A copy of each would take as long as reading it.
    for name, value in more.items():
        setattr(shown, name, value)
    return shown


def topics_out(request: HttpRequest, product_id: str, groups: Iterable[TopicGroup]) -> TopicsOut:
    """Return the topics of a product, each with the address of its list in the API."""
    list_url = api_address(request, LIST_OPERATION, product_id)
    languages: list[LanguageTopicsOut] = []
    for group in groups:
        topics: list[TopicOut] = []
        for topic in group.topics:
            query = urlencode({"language": group.language, "q": topic.form})
            one = TopicOut(
                word=topic.form,
                comments=topic.comments,
                good=topic.good,
                percent_happy=topic.percent_happy,
                url=topic.url,
                api_url=f"{list_url}?{query}",
            )
            topics.append(one)
        of_language = LanguageTopicsOut(
            language=group.language,
            made_at=group.made_at,
            comments=group.comments,
            topics=topics,
        )
        languages.append(of_language)
    return TopicsOut(languages=languages)


def product_link(request: HttpRequest, product: Product) -> ProductLink:
    """Return a product by its name."""
    return ProductLink.model_validate(product, context={"request": request})
