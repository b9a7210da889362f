"""One comment: read, posted, changed, deleted, voted for and reported."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from ninja import Status
from ulid import ULID

from comments.api.problems import COMMENT_CHANGED
from comments.api.routing import READ, WRITE, router
from comments.api.shapes import (
    CommentConflict,
    CommentId,
    CommentOut,
    CommentPatch,
    DraftIn,
    EditIn,
    ProductId,
    ReportIn,
    VoteOut,
    comment_out,
)
from comments.host import product_reader
from comments.lists.entries import WholeComment
from comments.lists.page import read_comment
from comments.posting import services as posting
from comments.reports import services as reports
from comments.store.comments import NoSuchComment, load_comment
from comments.store.states import Revision
from comments.users import display_name_of, find_user
from comments.votes import services as vote_services
from comments.votes.rank import count_votes
from comments.web.rate_limits import count_write, write_counted_meanwhile
from comments.work import finish_owed_or_log
from dynapages import ninja
from dynapages.calls import clock
from dynapages.django.attempts import is_second_attempt
from dynapages.django.callers import Scope
from dynapages.django.problems import ProblemType
from dynapages.ninja import IfMatch, caller_of
from dynapages.process import pool

POSTED = {HTTPStatus.CREATED: CommentOut, HTTPStatus.CONFLICT: CommentConflict}
EDITED = {
    HTTPStatus.OK: CommentOut,
    HTTPStatus.CONFLICT: CommentConflict,
    HTTPStatus.PRECONDITION_FAILED: CommentConflict,
}
DELETED = {HTTPStatus.NO_CONTENT: None, HTTPStatus.PRECONDITION_FAILED: CommentConflict}
"""What the operations that write answer, by status."""


@router.get("/comments/{path:comment_id}", response=CommentOut, auth=READ)
def get_comment(request: HttpRequest, comment_id: CommentId) -> CommentOut:
    """Return a comment with its whole text; a hidden one to its author and staff alone."""
    caller = caller_of(request)
    found = read_comment(
        comment_id, visitor=ninja.visitor_of(request), is_recent=request.method != "GET"
    )
    comment = found.comment
    is_own = bool(comment.user_id) and comment.user_id == caller.user_id
    # As if there was none: that it is hidden is nobody else's business.
    if comment.is_hidden and not (is_own or caller.allows(Scope.STAFF)):
        raise NoSuchComment(comment_id)
    has_voted = revision = None
    if caller.user_id:
        has_voted = found.has_voted
    # What a decision is made on, which only staff do.
    if caller.allows(Scope.STAFF):
        revision = comment.seen
    return comment_out(
        request,
        comment,
        text=comment.body,
        is_excerpt=False,
        has_voted=has_voted,
        helpful_votes=_helpful_votes(comment),
        version=Revision.parse(comment.seen).version,
        revision=revision,
    )


def _helpful_votes(comment: WholeComment) -> int | None:
    """Return a comment's votes, which its item has: they cost nothing.

    Those of a hidden one are counted strongly, a capacity unit for each shard.
    """
    if comment.is_hidden:
        return count_votes(comment.id) + comment.imported_votes
    return comment.helpful_votes


def not_as_seen(
    request: HttpRequest, kind: ProblemType, error: Exception, *, comment_id: str
) -> HttpResponse:
    """Answer that a comment is not as it was seen, with the comment as it is now.

    Raises NoSuchComment where it is gone.
    """
    return ninja.conflict(request, kind, error, get_comment(request, comment_id))


def name_of_caller(request: HttpRequest) -> str:
    """Return what pages call the user of a key; the user is read unless the caller has it."""
    caller = caller_of(request)
    user = caller.user or find_user(caller.user_id)
    if user is None:
        return ""
    return display_name_of(user)


def count_write_of_caller(request: HttpRequest, *, is_staff: bool = False) -> None:
    """Count a write of the key's user as pages do; a second attempt at one is counted already."""
    if is_second_attempt(request):
        return
    count_write(request, caller_of(request).user_id, is_staff=is_staff)


def caller_counted_meanwhile(
    request: HttpRequest, *, is_staff: bool = False
) -> AbstractContextManager[None]:
    """Count a write like `count_write_of_caller`, while the block reads what it is about."""
    if is_second_attempt(request):
        return nullcontext()
    user_id = caller_of(request).user_id
    return write_counted_meanwhile(request, user_id, is_staff=is_staff)


@router.post("/products/{product_id}/comments", response=POSTED, auth=WRITE)
def post(
    request: HttpRequest, product_id: ProductId, content: DraftIn, response: HttpResponse
) -> object:
    """Post a comment; one that waits for the shop ``is_hidden``."""
    # Made of the request, so that a second attempt posts no second comment.
    comment_id = str(ULID.from_bytes(ninja.token_of(request)))
    user_id = caller_of(request).user_id
    # A gate is not asked about what is there already: it might refuse a comment for itself.
    if is_second_attempt(request) and posting.is_posted(comment_id, user_id=user_id):
        return _posted(request, response, comment_id)
    with pool().together() as together:
        read_product = product_reader(together, product_id)
        writer = posting.read_writer(user_id, product_id)
        read_product()
    count_write_of_caller(request)
    try:
        posting.post_comment(
            content.draft,
            writer=writer,
            comment_id=comment_id,
            product_id=product_id,
            author=name_of_caller(request),
            now=clock.now(),
        )
    # The same request was carried out before, and the comment was edited since.
    except posting.PostedOtherwise as error:
        return not_as_seen(request, COMMENT_CHANGED, error, comment_id=comment_id)
    return _posted(request, response, comment_id)


def _posted(request: HttpRequest, response: HttpResponse, comment_id: str) -> Status[CommentOut]:
    """Answer with a comment that was posted, and where it is."""
    comment = get_comment(request, comment_id)
    response["Location"] = comment.api_url
    return Status(HTTPStatus.CREATED, comment)


@router.put("/comments/{path:comment_id}", response=EDITED, auth=WRITE)
def edit(
    request: HttpRequest, comment_id: CommentId, content: EditIn, if_match: IfMatch = None
) -> object:
    """Replace a comment of one's own; what is not sent becomes empty."""

    def replaced(_before: posting.Draft) -> posting.Draft:
        return content.draft

    return _edit(request, comment_id, replaced, version=content.version)


@router.patch("/comments/{path:comment_id}", response=EDITED, auth=WRITE)
def change(
    request: HttpRequest, comment_id: CommentId, content: CommentPatch, if_match: IfMatch = None
) -> object:
    """Change parts of a comment of one's own; what is not sent stays as it is."""
    return _edit(request, comment_id, content.changed, version=content.version)


def _edit(
    request: HttpRequest,
    comment_id: str,
    make_draft: Callable[[posting.Draft], posting.Draft],
    *,
    version: int | None,
) -> object:
    seen = ninja.number_seen(request, version)
    with caller_counted_meanwhile(request):
        own = posting.read_own(comment_id, user_id=caller_of(request).user_id)
        is_verified = posting.is_buyer(own)
    try:
        posting.change_own(make_draft, own, is_verified=is_verified, version=seen, now=clock.now())
    except posting.EditLost as error:
        return not_as_seen(request, COMMENT_CHANGED, error, comment_id=comment_id)
    return get_comment(request, comment_id)


@router.delete("/comments/{path:comment_id}", response=DELETED, auth=WRITE)
def delete(request: HttpRequest, comment_id: CommentId, if_match: IfMatch = None) -> object:
    """Delete a comment of one's own, or as staff any; without ``If-Match`` in any version."""
    version = None
    if if_match is not None:
        version = ninja.number_seen(request, None)
    caller = caller_of(request)
    try:
        stored = load_comment(comment_id)
    except NoSuchComment as error:
        count_write_of_caller(request)
        # The answer to a first attempt may have been lost, before all was done that it owes.
        finish_owed_or_log(comment_id)
        was_deleted = bool(error.product_id)
        if was_deleted and is_second_attempt(request):
            return Status(HTTPStatus.NO_CONTENT, None)
        raise
    is_own = posting.is_author(caller.user_id, stored)
    # A hidden comment must not be found out by trying to delete it.
    if not (is_own or caller.allows(Scope.STAFF)):
        raise NoSuchComment(comment_id)
    count_write_of_caller(request, is_staff=not is_own)
    try:
        posting.delete_comment(
            comment_id, by=caller.user_id, version=version, now=clock.now(), stored=stored
        )
    except posting.EditLost as error:
        return not_as_seen(request, COMMENT_CHANGED, error, comment_id=comment_id)
    return Status(HTTPStatus.NO_CONTENT, None)


@router.put("/votes/{path:comment_id}", response=VoteOut, auth=WRITE)
def cast_vote(request: HttpRequest, comment_id: CommentId) -> object:
    """Find a comment helpful; once more changes nothing."""
    user_id = caller_of(request).user_id
    with caller_counted_meanwhile(request):
        comment = vote_services.read_comment(comment_id)
    votes = vote_services.cast_vote_on(comment, comment_id=comment_id, user_id=user_id)
    return {"has_voted": True, "helpful_votes": votes}


@router.delete("/votes/{path:comment_id}", response=VoteOut, auth=WRITE)
def remove_vote(request: HttpRequest, comment_id: CommentId) -> object:
    """Take one's vote back, if there is one."""
    user_id = caller_of(request).user_id
    with caller_counted_meanwhile(request):
        comment = vote_services.read_comment(comment_id)
    votes = vote_services.withdraw_vote_on(comment, comment_id=comment_id, user_id=user_id)
    return {"has_voted": False, "helpful_votes": votes}


@router.put("/reports/{path:comment_id}", response={204: None}, auth=WRITE)
def report(request: HttpRequest, comment_id: CommentId, content: ReportIn) -> None:
    """Report a comment to the shop; a user's first report of it counts."""
    with caller_counted_meanwhile(request):
        stored = load_comment(comment_id)
    reports.report_comment(
        comment_id=comment_id,
        user_id=caller_of(request).user_id,
        author=name_of_caller(request),
        reason=content.reason,
        text=content.text.strip(),
        now=clock.now(),
        stored=stored,
    )
