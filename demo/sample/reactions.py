"""Reactions to the sample's comments: votes, reports, comments picked by the shop, its replies."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from comments.items import NewComment
from demo.sample.catalogue import DEFAULT_SEED

VOTES = ((11, 8, 6, 5, 3, 2, 1, 1), (5, 3, 1), (4, 2))
"""Votes of comments, of each of the products with most comments."""
PICKS = (2, 1)
"""Comments picked, of each of these products."""
NEWEST = 200
"""How many comments of a product, the newest, have reactions."""
CRITICAL_RATINGS = (1, 2)
PRAISING_RATINGS = (4, 5)
LONG_BODY = 600
"""Characters of a comment that is too long to be picked."""
REPLIES = (
    "We are sorry. Please send it back within thirty days: you get all your money back.",
    "Thank you for telling us. The first batch had this fault; we have sent you a new one.",
    "That should not have happened. Our colleagues have written to you about a replacement.",
)
COMPLAINTS = (
    ("spam", "", 1),
    ("off-topic", "This is about the parcel service, not about the product.", 2),
    ("other", "Has the same words as a comment on another product.", 1),
)
"""A reason, the text of the first report, and how many customers report the comment."""


@dataclass(frozen=True, slots=True)
class SampleReactions:
    """All reactions; few comments have few, or none.

    Votes are comments with user names, replies comments with texts; reports are comments with a
    user name, a reason as it is stored, and a text.
    """

    votes: tuple[tuple[NewComment, str], ...]
    reports: tuple[tuple[NewComment, str, str, str], ...]
    picks: tuple[NewComment, ...]
    replies: tuple[tuple[NewComment, str], ...]


def sample_reactions(
    comments: Sequence[NewComment], customers: Sequence[str], *, seed: int = DEFAULT_SEED
) -> SampleReactions:
    """Make reactions of customers, by their user names, and of the shop."""
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    discussed = list(_newest_of_most_discussed(comments))
    # Only the most discussed product has critics: staff answer some, customers report others.
    critical = []
    if discussed:
        critical = [comment for comment in discussed[0] if comment.rating in CRITICAL_RATINGS]
    in_english = [comment for comment in critical if comment.language == "en"]
    replied = in_english[: len(REPLIES)]
    reported = [comment for comment in critical if comment not in replied]
    return SampleReactions(
        votes=tuple(_votes(rng, discussed, customers)),
        reports=tuple(_reports(rng, reported, customers)),
        picks=tuple(_picks(discussed)),
        replies=tuple(zip(replied, REPLIES, strict=False)),
    )


def _newest_of_most_discussed(comments: Sequence[NewComment]) -> Iterator[list[NewComment]]:
    """Yield the newest comments of a few products: of the one with most comments first."""
    sizes = Counter(comment.product_id for comment in comments)
    for product_id, _size in sizes.most_common(len(VOTES)):
        written = [comment for comment in comments if comment.product_id == product_id]
        yield sorted(written, key=_by_date, reverse=True)[:NEWEST]


def _by_date(comment: NewComment) -> tuple[object, str]:
    return comment.created_at, comment.id


def _votes(
    rng: Random, discussed: Sequence[Sequence[NewComment]], customers: Sequence[str]
) -> Iterator[tuple[NewComment, str]]:
    """Yield comments, each with a customer who found it helpful."""
    for newest, tallies in zip(discussed, VOTES, strict=False):
        liked = rng.sample(newest, min(len(tallies), len(newest)))
        for comment, tally in zip(liked, tallies, strict=False):
            for username in rng.sample(customers, min(tally, len(customers))):
                yield comment, username


def _reports(
    rng: Random, comments: Sequence[NewComment], customers: Sequence[str]
) -> Iterator[tuple[NewComment, str, str, str]]:
    """Yield comments, each with a customer who reports it, a reason and a text."""
    for comment, (reason, text, number) in zip(comments, COMPLAINTS, strict=False):
        # Only the first of a comment's reporters says why.
        text_of_next = text
        for username in rng.sample(customers, min(number, len(customers))):
            yield comment, username, reason, text_of_next
            text_of_next = ""


def _picks(discussed: Sequence[Sequence[NewComment]]) -> Iterator[NewComment]:
    """Yield the longest good comments that are not too long."""
    for newest, number in zip(discussed, PICKS, strict=False):
        praise = []
        for comment in newest:
            if comment.rating in PRAISING_RATINGS and len(comment.body) < LONG_BODY:
                praise.append(comment)
        yield from sorted(praise, key=_by_length, reverse=True)[:number]


def _by_length(comment: NewComment) -> tuple[int, str]:
    return len(comment.body), comment.id
