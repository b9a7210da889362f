"""Reactions to the sample shop's comments: votes, reports, picks and replies.

Made from the comments and a seed; the same on any day.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from comments.items import NewComment
from demo.sample.catalogue import DEFAULT_SEED

VOTES = ((11, 8, 6, 5, 3, 2, 1, 1), (5, 3, 1), (4, 2))
"""Votes of comments, of each of the products with most comments."""
PICKS = (2, 1)
NEWEST = 200
"""How many comments of a product, the newest, have reactions."""
CRITICISM, PRAISE = (1, 2), (4, 5)
LONG = 600
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
    bad = [c for newest in discussed[:1] for c in newest if c.rating in CRITICISM]
    replied = [c for c in bad if c.language == "en"][: len(REPLIES)]
    reported = [c for c in bad if c not in replied]
    return SampleReactions(
        votes=tuple(_votes(rng, discussed, customers)),
        reports=tuple(_reports(rng, reported, customers)),
        picks=tuple(_picks(discussed)),
        replies=tuple(zip(replied, REPLIES, strict=False)),
    )


def _newest_of_most_discussed(comments: Sequence[NewComment]) -> Iterator[list[NewComment]]:
    sizes = Counter(comment.product_id for comment in comments)
    for product_id, _ in sizes.most_common(len(VOTES)):
        written = [comment for comment in comments if comment.product_id == product_id]
        yield sorted(written, key=lambda c: (c.created_at, c.id), reverse=True)[:NEWEST]


def _votes(
    rng: Random, discussed: Sequence[Sequence[NewComment]], customers: Sequence[str]
) -> Iterator[tuple[NewComment, str]]:
    for newest, tallies in zip(discussed, VOTES, strict=False):
        liked = rng.sample(newest, min(len(tallies), len(newest)))
        for comment, tally in zip(liked, tallies, strict=False):
            for username in rng.sample(customers, min(tally, len(customers))):
                yield comment, username


def _reports(
    rng: Random, comments: Sequence[NewComment], customers: Sequence[str]
) -> Iterator[tuple[NewComment, str, str, str]]:
    for comment, (reason, text, number) in zip(comments, COMPLAINTS, strict=False):
        for nth, username in enumerate(rng.sample(customers, min(number, len(customers)))):
            yield comment, username, reason, "" if nth else text


def _picks(discussed: Sequence[Sequence[NewComment]]) -> Iterator[NewComment]:
    """Pick the longest good comments that are not too long."""
    for newest, number in zip(discussed, PICKS, strict=False):
        praise = [c for c in newest if c.rating in PRAISE and len(c.body) < LONG]
        yield from sorted(praise, key=lambda c: (len(c.body), c.id), reverse=True)[:number]
