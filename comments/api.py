"""The comments in an API of django-ninja: see docs/api.md. A project adds ``router`` to its own.

Ids of comments may hold slashes, so each address ends with its id. What a key may do is as on the
pages: ``write`` acts as its user, ``staff`` as one of the staff.
"""

from http import HTTPStatus
from typing import Annotated

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, WithJsonSchema
from ulid import ULID

from comments.filters import MOST_LANGUAGES, CommentFilter, all_languages, is_language
from comments.host import COMMENTS, NO_SUCH_PRODUCT, NoSuchProduct, find_product
from comments.lists.entries import CommentEntry
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder
from comments.lists.page import CommentsRequest, read_comment_page, read_comments_page
from comments.lists.queries import Reach, reached_at
from comments.lists.search_listing import NOT_SEARCHED, words_left_out
from comments.lists.search_queries import SearchRequest
from comments.moderation.services import Decision, NotAsSeen, carry_out
from comments.posting import forms
from comments.posting import services as posting
from comments.posting.languages import detect_language
from comments.profiles import queries as profiles
from comments.profiles.views import NOBODY, require_user_of
from comments.rankings import queries as rankings
from comments.rankings.services import Ranking
from comments.replies import services as replies
from comments.reports import services as reports
from comments.search.words import (
    LONGEST_SEARCH,
    MOST_WORDS,
    BadSearch,
    Search,
    parse_search,
)
from comments.store.comments import NoSuchComment, OwnComment, load_comment
from comments.store.states import Revision, State
from comments.users import display_name_of, find_user, user_id_in
from comments.votes import services as vote_services
from comments.web.rate_limits import count_write
from comments.work import finish_owed_or_log
from dynapages import ninja
from dynapages.calls import clock
from dynapages.django.access import Visitor
from dynapages.django.callers import Scope
from dynapages.django.paging import Pager
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, PageResult
from dynapages.ninja import IdText, Listing, ListOf, Moment, PageOf, caller_of, lists

NO_SUCH_COMMENT = gettext_lazy("There is no such comment. It may have been deleted.")
ERRORS: dict[type[Exception], tuple[HTTPStatus, object]] = {
    NoSuchProduct: (HTTPStatus.NOT_FOUND, NO_SUCH_PRODUCT),
    NoSuchComment: (HTTPStatus.NOT_FOUND, NO_SUCH_COMMENT),
    posting.CommentGone: (HTTPStatus.NOT_FOUND, NO_SUCH_COMMENT),
    OwnComment: (HTTPStatus.FORBIDDEN, None),
    posting.Rejected: (HTTPStatus.FORBIDDEN, None),
    posting.Conflict: (HTTPStatus.CONFLICT, None),
    NotAsSeen: (HTTPStatus.CONFLICT, None),
    replies.ReplyChanged: (HTTPStatus.CONFLICT, None),
}
"""For `dynapages.ninja.ProblemAPI`."""
router = Router(tags=["comments"])
READ, WRITE, STAFF = ninja.KEY_OR_NOBODY, ninja.KeyAuth(Scope.WRITE), ninja.KeyAuth(Scope.STAFF)


def _language(code: str) -> str:
    if not is_language(code):
        raise ValueError("use a two-letter ISO 639-1 code such as en, de or pt")
    return code


Language = Annotated[
    str,
    AfterValidator(_language),
    WithJsonSchema({"type": "string", "enum": sorted(code for code, _name in all_languages())}),
]
Stars = Annotated[int, Field(ge=1, le=5)]
Text = Annotated[str, StringConstraints(pattern=r"^[^\u0000]*$")]
Words = Annotated[str, StringConstraints(pattern=r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
Version = Annotated[int, Field(ge=0, le=2**53)]
BY_NAME_TOO = ConfigDict(validate_by_name=True)
"""Of what is read of an entry by its names, then filled in and read once more by its own."""


class ProductLink(Schema):
    """A product by its name."""

    id: str
    name: str
    url: str


class ReplyOut(Schema):
    """The shop's reply to a comment."""

    model_config = BY_NAME_TOO
    text: str
    is_excerpt: bool = Field(validation_alias="is_long")
    created: Moment | None = Field(validation_alias="replied")
    version: int


class CommentOut(Schema):
    """A comment; where ``is_excerpt``, its own address has the whole text.

    ``username`` stands for its author in addresses, and is empty for an imported one. ``product``
    is there in lists of several, ``has_voted`` with a key of a user, ``helpful_votes`` where the
    list is sorted by them. Alone it has a ``version``, which its author edits, and for
    staff a ``revision`` to decide on.
    """

    model_config = BY_NAME_TOO
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


class LovedOut(Schema):
    """A product by the number of its 5-star comments; numbers count from 1."""

    number: int
    product: ProductLink
    five_star_comments: int = Field(validation_alias="five_stars")


class CommentedOut(Schema):
    """A product by the time of its last comment."""

    number: int
    product: ProductLink
    last_commented: Moment = Field(validation_alias="commented")
    comment_id: str
    comment_url: str


class DraftIn(Schema):
    """The content of a comment; without ``language`` that of the text is detected."""

    rating: Stars
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


class ReportIn(Schema):
    """What is wrong with a comment."""

    reason: reports.Reason
    text: Text = Field("", max_length=reports.LONGEST_TEXT)


class ReplyIn(Schema):
    """A reply; ``version`` is of the one it replaces, 0 for none."""

    text: Words = Field(min_length=1, max_length=replies.LONGEST_REPLY)
    version: Version = 0


class DecisionIn(Schema):
    """A decision, on the ``revision`` that was seen, or without one on the comment as it is."""

    decision: Decision
    revision: str | None = Field(None, pattern=rf"^({'|'.join(State)})(\.[0-9]{{1,9}}){{2}}$")


class WordOut(Schema):
    """A word of a search that is common in a language, so that it is not looked for there."""

    word: str
    language: str


class SearchOut(Schema):
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
    """A page of a product's comments.

    ``reached`` says of a page that is short how far its reading has come; it is null where the page
    is full or the list ends, and in a list by rating. ``search`` is null without ``q``.
    """

    reached: Moment | None
    search: SearchOut | None


class Filter(Schema):
    """``q`` is words that all have to be in a comment; only staff find ``hidden`` ones."""

    language: list[Language] = Field([], max_length=MOST_LANGUAGES)
    rating: list[Stars] = Field([], max_length=5)
    order: CommentOrder = CommentOrder.NEWEST
    q: str | None = Field(
        None,
        description=f"Up to {MOST_WORDS} words of {LONGEST_SEARCH} characters in all, where blanks "
        "in a row count as one. Without any, no search.",
    )
    hidden: bool = False


class VoteOut(Schema):
    """A vote, and how many there are; null where that could not be read."""

    has_voted: bool
    helpful_votes: int | None


def _out(comment: CommentEntry, voted: frozenset[str] | None = None, **more: object) -> CommentOut:
    """Return a comment with what only some answers have of it."""
    # Who has no key of a user is not told that they have not voted.
    has_voted = None
    if voted is not None:
        has_voted = comment.id in voted
    return CommentOut.model_validate(comment).model_copy(update={"has_voted": has_voted, **more})


def _voted_by(visitor: Visitor, voted: frozenset[str]) -> frozenset[str] | None:
    """Return the ids of comments that a visitor has voted for, None for one without a key."""
    if not visitor.user_id:
        return None
    return voted


@router.get("/products/{product_id}/comments", response=CommentListing, auth=READ)
@lists
def list_comments(
    request: HttpRequest, product_id: IdText, chosen: Query[Filter]
) -> ListOf[CommentOut]:
    """List a product's comments in any set of languages and ratings, in any order, by any words."""
    search = _search(request, chosen)
    # Postings are in the order of time.
    if search and chosen.order.is_by_rating:
        raise Refusal(_("A search is sorted by time: newest or oldest first."))
    narrowed = CommentFilter.of(chosen.language, chosen.rating)
    visitor = ninja.visitor_of(request)

    def read(page_request: PageRequest) -> PageOf[CommentOut]:
        page = read_comments_page(
            CommentsRequest(
                narrowed,
                page_request,
                product_id=product_id,
                order=chosen.order,
                is_whole=False,
                visitor=visitor,
                search=search,
            )
        )
        results = page.results
        voted = _voted_by(visitor, page.voted)
        shown = [_out(comment, voted, product_id=product_id) for comment in page.comments]
        search_out = None
        if search:
            search_out = _search_out(search.search, results.reach)
        return PageOf(
            tuple(shown),
            results.page,
            page.total,
            results.plan.name,
            more={"reached": reached_at(results.page), "search": search_out},
        )

    return ListOf(pager_of(product_id, narrowed, chosen.order, search), read)


def _search(request: HttpRequest, chosen: Filter) -> SearchRequest | None:
    """Return the search of a filter. Raises Refusal, and HttpError 403 for hidden comments."""
    if chosen.hidden and not caller_of(request).allows(Scope.STAFF):
        raise HttpError(HTTPStatus.FORBIDDEN, _("Only staff can search hidden comments."))
    if not (chosen.q and chosen.q.strip()):
        return None
    if not COMMENTS["SEARCH"]:
        raise Refusal(_("This shop does not search comments: leave “q” out."))
    try:
        return SearchRequest(parse_search(chosen.q), chosen.hidden)
    except BadSearch as error:
        raise Refusal(str(error)) from error


def _search_out(search: Search, reach: Reach | None) -> SearchOut:
    reach = reach or NOT_SEARCHED
    left_out = words_left_out(search, [*reach.languages, *reach.later])
    return SearchOut(
        words=list(search.words),
        languages=list(reach.languages),
        languages_to_come=list(reach.later),
        languages_left_out=list(reach.common),
        words_left_out=[WordOut(word=word, language=language) for word, language in left_out],
        ignored=[*search.ignored, *search.alone],
    )


@router.get("/products/{product_id}/comments/most-helpful", response=Listing[CommentOut], auth=READ)
@lists
def most_helpful(request: HttpRequest, product_id: IdText) -> ListOf[CommentOut]:
    """List a product's comments by helpful votes; those without any are left out."""
    visitor = ninja.visitor_of(request)

    def read(page_request: PageRequest) -> PageResult[CommentOut]:
        result = rankings.read_most_helpful(product_id, page_request, visitor=visitor)
        voted = _voted_by(visitor, result.voted)
        shown = [
            _out(ranked.comment, voted, product_id=product_id, helpful_votes=ranked.helpful)
            for ranked in result.comments.items
        ]
        return PageResult(tuple(shown), result.comments.page)

    return ListOf(Pager("", f"helpful/{product_id}"), read, rankings.PLAN)


@router.get("/users/{username}/comments", response=Listing[CommentOut], auth=READ)
@lists
def written_by(request: HttpRequest, username: IdText) -> ListOf[CommentOut]:
    """List a user's comments, newest first; hidden ones to the user and to staff alone."""
    caller = caller_of(request)
    user_id = user_id_in(username)
    if not user_id:
        raise Http404(NOBODY)
    sees_hidden = caller.user_id == user_id or caller.allows(Scope.STAFF)

    def read(page_request: PageRequest) -> PageResult[CommentOut]:
        # Hidden ones are read, too: a page of others may be short.
        written = profiles.list_written_by(user_id, page_request)
        require_user_of(written, page_request, user_id)
        comments = [each for each in written.items if sees_hidden or not each.is_hidden]
        shown = []
        for comment, product in profiles.with_products(comments):
            shown.append(_out(comment, product=product))
        return PageResult(tuple(shown), written.page)

    return ListOf(Pager("", f"profile/{user_id}"), read, profiles.PLAN)


@router.get("/rankings/most-loved", response=Listing[LovedOut], auth=READ)
@lists
def most_loved(request: HttpRequest) -> ListOf[rankings.RankedProduct]:
    """List products by the number of their 5-star comments."""
    return _ranking(Ranking.FIVE_STARS)


@router.get("/rankings/recently-commented", response=Listing[CommentedOut], auth=READ)
@lists
def recently_commented(request: HttpRequest) -> ListOf[rankings.RankedProduct]:
    """List products by the time of their last comment."""
    return _ranking(Ranking.COMMENTED)


def _ranking(ranking: Ranking) -> ListOf[rankings.RankedProduct]:
    def read(page_request: PageRequest) -> PageResult[rankings.RankedProduct]:
        return rankings.list_ranking(ranking, page_request)

    return ListOf(Pager("", f"ranking/{ranking}"), read, rankings.PLAN)


@router.get("/comments/{path:comment_id}", response=CommentOut, auth=READ)
def get_comment(request: HttpRequest, comment_id: IdText) -> CommentOut:
    """Return a comment with its whole text; a hidden one to its author and staff alone."""
    caller = caller_of(request)
    page = read_comment_page(
        comment_id, visitor=ninja.visitor_of(request), is_recent=request.method != "GET"
    )
    comment = page.comment
    is_own = bool(comment.user_id) and comment.user_id == caller.user_id
    # As if there was none: that it is hidden is nobody else's business.
    if comment.is_hidden and not (is_own or caller.allows(Scope.STAFF)):
        raise NoSuchComment(comment_id)
    has_voted = revision = None
    if caller.user_id:
        has_voted = page.has_voted
    # What a decision is made on, which only staff do.
    if caller.allows(Scope.STAFF):
        revision = comment.seen
    return _out(
        comment,
        text=comment.body,
        is_excerpt=False,
        has_voted=has_voted,
        version=Revision.parse(comment.seen).version,
        revision=revision,
    )


def _name_of_caller(request: HttpRequest) -> str:
    """Return what pages call the user of a key; the user is read unless the caller has it."""
    caller = caller_of(request)
    user = caller.user or find_user(caller.user_id)
    if user is None:
        return ""
    return display_name_of(user)


def _count_write(request: HttpRequest, *, is_staff: bool = False) -> None:
    """Count a write of the key's user as pages do, beside those of the key itself."""
    count_write(request, caller_of(request).user_id, now=clock.now(), is_staff=is_staff)


@router.post("/products/{product_id}/comments", response={201: CommentOut}, auth=WRITE)
def post(request: HttpRequest, product_id: IdText, content: DraftIn) -> object:
    """Post a comment; one that waits for the shop ``is_hidden``."""
    find_product(product_id)
    _count_write(request)
    # Made of the request, so that a second attempt posts no second comment.
    comment_id = str(ULID.from_bytes(ninja.token_of(request)))
    posting.post_comment(
        content.draft,
        comment_id=comment_id,
        product_id=product_id,
        user_id=caller_of(request).user_id,
        author=_name_of_caller(request),
        now=clock.now(),
    )
    return get_comment(request, comment_id)


@router.put("/comments/{path:comment_id}", response=CommentOut, auth=WRITE)
def edit(request: HttpRequest, comment_id: IdText, content: EditIn) -> object:
    """Change a comment of one's own, if its version is still the one that was read."""
    _count_write(request)
    posting.save_edit(
        content.draft,
        comment_id=comment_id,
        version=content.version,
        user_id=caller_of(request).user_id,
        now=clock.now(),
    )
    return get_comment(request, comment_id)


@router.delete("/comments/{path:comment_id}", response={204: None}, auth=WRITE)
def delete(request: HttpRequest, comment_id: IdText) -> None:
    """Delete a comment of one's own, or as staff any."""
    caller = caller_of(request)
    try:
        is_own = posting.is_author(caller.user_id, load_comment(comment_id))
    except NoSuchComment:
        _count_write(request)
        # The answer to a first attempt may have been lost, before all was done that it owes.
        finish_owed_or_log(comment_id)
        raise
    # A hidden comment must not be found out by trying to delete it.
    if not (is_own or caller.allows(Scope.STAFF)):
        raise NoSuchComment(comment_id)
    _count_write(request, is_staff=not is_own)
    posting.delete_comment(comment_id, by=caller.user_id, now=clock.now())


@router.put("/votes/{path:comment_id}", response=VoteOut, auth=WRITE)
def cast_vote(request: HttpRequest, comment_id: IdText) -> object:
    """Find a comment helpful; once more changes nothing."""
    _count_write(request)
    votes = vote_services.cast_vote(comment_id=comment_id, user_id=caller_of(request).user_id)
    return {"has_voted": True, "helpful_votes": votes}


@router.delete("/votes/{path:comment_id}", response=VoteOut, auth=WRITE)
def remove_vote(request: HttpRequest, comment_id: IdText) -> object:
    """Take one's vote back, if there is one."""
    _count_write(request)
    votes = vote_services.withdraw_vote(comment_id=comment_id, user_id=caller_of(request).user_id)
    return {"has_voted": False, "helpful_votes": votes}


@router.put("/reports/{path:comment_id}", response={204: None}, auth=WRITE)
def report(request: HttpRequest, comment_id: IdText, content: ReportIn) -> None:
    """Report a comment to the shop; a user's first report of it counts."""
    _count_write(request)
    reports.report_comment(
        comment_id=comment_id,
        user_id=caller_of(request).user_id,
        author=_name_of_caller(request),
        reason=content.reason,
        text=content.text.strip(),
        now=clock.now(),
    )


@router.put("/replies/{path:comment_id}", response=CommentOut, auth=STAFF)
def reply(request: HttpRequest, comment_id: IdText, content: ReplyIn) -> object:
    """Reply to a comment as the shop, or change the reply that was read."""
    _count_write(request, is_staff=True)
    seen = replies.find_reply(comment_id)
    # The same text once more is a second attempt: what the first one owes may not be done.
    if seen is not None and seen.text == content.text:
        replies.finish_reply(comment_id)
        return get_comment(request, comment_id)
    seen_version = 0
    if seen is not None:
        seen_version = seen.version
    if seen_version != content.version:
        raise replies.ReplyChanged(seen)
    replies.reply_to(
        comment_id=comment_id,
        text=content.text,
        user_id=caller_of(request).user_id,
        author=_name_of_caller(request),
        seen=seen,
        now=clock.now(),
    )
    return get_comment(request, comment_id)


@router.delete("/replies/{path:comment_id}", response={204: None}, auth=STAFF)
def remove_reply(request: HttpRequest, comment_id: IdText) -> None:
    """Delete the reply to a comment, if there is one."""
    _count_write(request, is_staff=True)
    replies.delete_reply(comment_id, by=caller_of(request).user_id, now=clock.now())


@router.post("/decisions/{path:comment_id}", response={204: None}, auth=STAFF)
def decide(request: HttpRequest, comment_id: IdText, content: DecisionIn) -> None:
    """Publish, reject, keep, hide, restore or delete a comment."""
    seen = None
    if content.revision:
        seen = Revision.parse(content.revision)
    who = caller_of(request).user_id
    _count_write(request, is_staff=True)
    carry_out(content.decision, comment_id=comment_id, seen=seen, who=who, now=clock.now())
