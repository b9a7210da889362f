"""The errors of comments as problems of an API, each of a type with a stable code."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy

from comments.host import NO_SUCH_PRODUCT, NoSuchProduct
from comments.moderation.services import DecisionNotPossible, NotAsSeen
from comments.posting import services as posting
from comments.replies import services as replies
from comments.store.comments import NoSuchComment, OwnComment
from dynapages.ninja import ProblemType

NO_SUCH_COMMENT = gettext_lazy("There is no such comment. It may have been deleted.")
NO_PRODUCT = ProblemType("no-such-product", HTTPStatus.NOT_FOUND, "There is no such product.")
NO_COMMENT = ProblemType(
    "no-such-comment",
    HTTPStatus.NOT_FOUND,
    "There is no such comment, it is hidden, or somebody else's that was to be changed.",
)
OWN_COMMENT = ProblemType(
    "own-comment", HTTPStatus.FORBIDDEN, "Nobody votes for or reports a comment of their own."
)
COMMENT_REJECTED = ProblemType(
    "comment-rejected", HTTPStatus.FORBIDDEN, "The shop does not take this comment."
)
COMMENT_CHANGED = ProblemType(
    "comment-changed",
    HTTPStatus.CONFLICT,
    "The comment is not the version any more that was to be edited.",
)
COMMENT_DECIDED = ProblemType(
    "comment-not-as-seen",
    HTTPStatus.CONFLICT,
    "The comment is not any more as it was when the decision was made.",
)
DECISION_NOT_POSSIBLE = ProblemType(
    "decision-not-possible",
    HTTPStatus.CONFLICT,
    "The decision does not lead from the comment's state: `allowed` has those that do.",
)
REPLY_CHANGED = ProblemType(
    "reply-changed",
    HTTPStatus.CONFLICT,
    "The reply is not the version any more that was to be changed.",
)

ERRORS: dict[type[Exception], tuple[ProblemType, object]] = {
    NoSuchProduct: (NO_PRODUCT, NO_SUCH_PRODUCT),
    NoSuchComment: (NO_COMMENT, NO_SUCH_COMMENT),
    posting.CommentGone: (NO_COMMENT, NO_SUCH_COMMENT),
    OwnComment: (OWN_COMMENT, None),
    posting.Rejected: (COMMENT_REJECTED, None),
    posting.Conflict: (COMMENT_CHANGED, None),
    NotAsSeen: (COMMENT_DECIDED, None),
    DecisionNotPossible: (DECISION_NOT_POSSIBLE, None),
    replies.ReplyChanged: (REPLY_CHANGED, None),
}
"""For `dynapages.ninja.ProblemAPI`."""
