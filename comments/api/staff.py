"""What staff do with a comment: reply to it, and decide on it."""

from http import HTTPStatus

from django.http import HttpRequest
from ninja import Status

from comments.api.comments import (
    caller_counted_meanwhile,
    count_write_of_caller,
    get_comment,
    name_of_caller,
    not_as_seen,
)
from comments.api.problems import COMMENT_DECIDED, DECISION_NOT_POSSIBLE, REPLY_CHANGED
from comments.api.routing import STAFF, router
from comments.api.shapes import (
    CommentId,
    CommentOut,
    DecisionIn,
    DecisionRefusal,
    ReplyConflict,
    ReplyIn,
    ReplyOut,
)
from comments.moderation.services import DecisionNotPossible, NotAsSeen, carry_out
from comments.replies import services as replies
from comments.store.states import Revision
from dynapages.calls import clock
from dynapages.ninja import caller_of, problem

REPLIED = {HTTPStatus.OK: CommentOut, HTTPStatus.CONFLICT: ReplyConflict}
DECIDED = {HTTPStatus.NO_CONTENT: None, HTTPStatus.CONFLICT: DecisionRefusal}
"""What the operations that write answer, by status."""


@router.put("/replies/{path:comment_id}", response=REPLIED, auth=STAFF)
def reply(request: HttpRequest, comment_id: CommentId, content: ReplyIn) -> object:
    """Reply to a comment as the shop, or change the reply that was read."""
    with caller_counted_meanwhile(request, is_staff=True):
        seen = replies.find_reply(comment_id)
    try:
        _reply(request, comment_id, content, seen)
    except replies.ReplyChanged as error:
        current = None
        if error.reply is not None:
            current = ReplyOut.model_validate(error.reply).model_dump()
        return problem(REPLY_CHANGED, error, current=current)
    return get_comment(request, comment_id)


def _reply(
    request: HttpRequest, comment_id: str, content: ReplyIn, seen: replies.Reply | None
) -> None:
    """Write a reply, unless it is there already. Raises ReplyChanged where another one is."""
    # The same text once more is a second attempt: what the first one owes may not be done.
    if seen is not None and seen.text == content.text:
        replies.finish_reply(comment_id)
        return
    seen_version = 0
    if seen is not None:
        seen_version = seen.version
    if seen_version != content.version:
        raise replies.ReplyChanged(seen)
    replies.reply_to(
        comment_id=comment_id,
        text=content.text,
        user_id=caller_of(request).user_id,
        author=name_of_caller(request),
        seen=seen,
        now=clock.now(),
    )


@router.delete("/replies/{path:comment_id}", response={204: None}, auth=STAFF)
def remove_reply(request: HttpRequest, comment_id: CommentId) -> None:
    """Delete the reply to a comment, if there is one."""
    count_write_of_caller(request, is_staff=True)
    replies.delete_reply(comment_id, by=caller_of(request).user_id, now=clock.now())


@router.post("/decisions/{path:comment_id}", response=DECIDED, auth=STAFF)
def decide(request: HttpRequest, comment_id: CommentId, content: DecisionIn) -> object:
    """Publish, reject, keep, hide, restore or delete a comment; once more changes nothing."""
    seen = None
    if content.revision:
        seen = Revision.parse(content.revision)
    who = caller_of(request).user_id
    count_write_of_caller(request, is_staff=True)
    try:
        carry_out(content.decision, comment_id=comment_id, seen=seen, who=who, now=clock.now())
    except DecisionNotPossible as error:
        current = get_comment(request, comment_id).model_dump(mode="json")
        return problem(DECISION_NOT_POSSIBLE, error, allowed=error.allowed, current=current)
    except NotAsSeen as error:
        return not_as_seen(request, COMMENT_DECIDED, error, comment_id=comment_id)
    return Status(HTTPStatus.NO_CONTENT, None)
