"""One comment: read, posted, changed, deleted, voted for and reported."""

from django.http import HttpRequest
from ulid import ULID

from comments.api.routing import READ, WRITE, router
from comments.api.shapes import (
    CommentId,
    CommentOut,
    DraftIn,
    EditIn,
    ProductId,
    ReportIn,
    VoteOut,
    comment_out,
)
from comments.host import find_product
from comments.lists.page import read_comment_page
from comments.posting import services as posting
from comments.reports import services as reports
from comments.store.comments import NoSuchComment, load_comment
from comments.store.states import Revision
from comments.users import display_name_of, find_user
from comments.votes import services as vote_services
from comments.web.rate_limits import count_write
from comments.work import finish_owed_or_log
from dynapages import ninja
from dynapages.calls import clock
from dynapages.django.attempts import is_second_attempt
from dynapages.django.callers import Scope
from dynapages.ninja import caller_of


@router.get("/comments/{path:comment_id}", response=CommentOut, auth=READ)
def get_comment(request: HttpRequest, comment_id: CommentId) -> CommentOut:
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
    return comment_out(
        comment,
        text=comment.body,
        is_excerpt=False,
        has_voted=has_voted,
        version=Revision.parse(comment.seen).version,
        revision=revision,
    )


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
    count_write(request, caller_of(request).user_id, now=clock.now(), is_staff=is_staff)


@router.post("/products/{product_id}/comments", response={201: CommentOut}, auth=WRITE)
def post(request: HttpRequest, product_id: ProductId, content: DraftIn) -> object:
    """Post a comment; one that waits for the shop ``is_hidden``."""
    # Made of the request, so that a second attempt posts no second comment.
    comment_id = str(ULID.from_bytes(ninja.token_of(request)))
    user_id = caller_of(request).user_id
    # A gate is not asked about what is there already: it might refuse a comment for itself.
    if is_second_attempt(request) and posting.is_posted(comment_id, user_id=user_id):
        return get_comment(request, comment_id)
    find_product(product_id)
    count_write_of_caller(request)
    posting.post_comment(
        content.draft,
        comment_id=comment_id,
        product_id=product_id,
        user_id=user_id,
        author=name_of_caller(request),
        now=clock.now(),
    )
    return get_comment(request, comment_id)


@router.put("/comments/{path:comment_id}", response=CommentOut, auth=WRITE)
def edit(request: HttpRequest, comment_id: CommentId, content: EditIn) -> object:
    """Change a comment of one's own, if its version is still the one that was read."""
    count_write_of_caller(request)
    posting.save_edit(
        content.draft,
        comment_id=comment_id,
        version=content.version,
        user_id=caller_of(request).user_id,
        now=clock.now(),
    )
    return get_comment(request, comment_id)


@router.delete("/comments/{path:comment_id}", response={204: None}, auth=WRITE)
def delete(request: HttpRequest, comment_id: CommentId) -> None:
    """Delete a comment of one's own, or as staff any."""
    caller = caller_of(request)
    try:
        is_own = posting.is_author(caller.user_id, load_comment(comment_id))
    except NoSuchComment as error:
        count_write_of_caller(request)
        # The answer to a first attempt may have been lost, before all was done that it owes.
        finish_owed_or_log(comment_id)
        was_deleted = bool(error.product_id)
        if was_deleted and is_second_attempt(request):
            return
        raise
    # A hidden comment must not be found out by trying to delete it.
    if not (is_own or caller.allows(Scope.STAFF)):
        raise NoSuchComment(comment_id)
    count_write_of_caller(request, is_staff=not is_own)
    posting.delete_comment(comment_id, by=caller.user_id, now=clock.now())


@router.put("/votes/{path:comment_id}", response=VoteOut, auth=WRITE)
def cast_vote(request: HttpRequest, comment_id: CommentId) -> object:
    """Find a comment helpful; once more changes nothing."""
    count_write_of_caller(request)
    votes = vote_services.cast_vote(comment_id=comment_id, user_id=caller_of(request).user_id)
    return {"has_voted": True, "helpful_votes": votes}


@router.delete("/votes/{path:comment_id}", response=VoteOut, auth=WRITE)
def remove_vote(request: HttpRequest, comment_id: CommentId) -> object:
    """Take one's vote back, if there is one."""
    count_write_of_caller(request)
    votes = vote_services.withdraw_vote(comment_id=comment_id, user_id=caller_of(request).user_id)
    return {"has_voted": False, "helpful_votes": votes}


@router.put("/reports/{path:comment_id}", response={204: None}, auth=WRITE)
def report(request: HttpRequest, comment_id: CommentId, content: ReportIn) -> None:
    """Report a comment to the shop; a user's first report of it counts."""
    count_write_of_caller(request)
    reports.report_comment(
        comment_id=comment_id,
        user_id=caller_of(request).user_id,
        author=name_of_caller(request),
        reason=content.reason,
        text=content.text.strip(),
        now=clock.now(),
    )
