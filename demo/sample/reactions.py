"""What customers and staff of the sample shop make of its comments: votes, reports, picks, replies.

Made from the sample's comments and a seed, without DynamoDB and Django: on any day the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from demo.sample.comments import DEFAULT_SEED, SampleComment

VOTES = ((11, 8, 6, 5, 3, 2, 1, 1), (5, 3, 1), (4, 2))
"""How many customers find comments helpful, of the products most written about."""
PICKS = (2, 1)
NEWEST = 200
"""Reactions are to comments of a product that are no older than so many."""
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
"""A reason, what the first says beside it, and how many customers report the comment."""


@dataclass(frozen=True, slots=True)
class SampleVote:
    """A customer finds a comment helpful."""

    comment: SampleComment
    username: str


@dataclass(frozen=True, slots=True)
class SampleReport:
    """A customer reports a comment; ``reason`` as it is stored."""

    comment: SampleComment
    username: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class SampleReply:
    """The shop's reply to a comment."""

    comment: SampleComment
    text: str


@dataclass(frozen=True, slots=True)
class SampleReactions:
    """All there are; those of few comments are few, or none."""

    votes: tuple[SampleVote, ...]
    reports: tuple[SampleReport, ...]
    picks: tuple[SampleComment, ...]
    replies: tuple[SampleReply, ...]


def sample_reactions(
    comments: Sequence[SampleComment], customers: Sequence[str], *, seed: int = DEFAULT_SEED
) -> SampleReactions:
    """Let customers, by their names, and the shop react to the sample's comments."""
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    talked_of = list(_newest_of_the_most_talked_of(comments))
    bad = [c for newest in talked_of[:1] for c in newest if c.rating in CRITICISM]
    replied = [c for c in bad if c.language == "en"][: len(REPLIES)]
    complained_of = [c for c in bad if c not in replied]
    return SampleReactions(
        votes=tuple(_votes(rng, talked_of, customers)),
        reports=tuple(_reports(rng, complained_of, customers)),
        picks=tuple(_picks(talked_of)),
        replies=tuple(map(SampleReply, replied, REPLIES)),
    )


def _newest_of_the_most_talked_of(
    comments: Sequence[SampleComment],
) -> Iterator[list[SampleComment]]:
    sizes = Counter(comment.product_id for comment in comments)
    for product_id, _ in sizes.most_common(len(VOTES)):
        written = [comment for comment in comments if comment.product_id == product_id]
        yield sorted(written, key=lambda c: (c.created_at, c.id), reverse=True)[:NEWEST]


def _votes(
    rng: Random, talked_of: Sequence[Sequence[SampleComment]], customers: Sequence[str]
) -> Iterator[SampleVote]:
    for newest, tallies in zip(talked_of, VOTES, strict=False):
        liked = rng.sample(newest, min(len(tallies), len(newest)))
        for comment, tally in zip(liked, tallies, strict=False):
            for username in rng.sample(customers, min(tally, len(customers))):
                yield SampleVote(comment, username)


def _reports(
    rng: Random, comments: Sequence[SampleComment], customers: Sequence[str]
) -> Iterator[SampleReport]:
    for comment, (reason, text, number) in zip(comments, COMPLAINTS, strict=False):
        for nth, username in enumerate(rng.sample(customers, min(number, len(customers)))):
            yield SampleReport(comment, username, reason, "" if nth else text)


def _picks(talked_of: Sequence[Sequence[SampleComment]]) -> Iterator[SampleComment]:
    """Pick those that say most among the well-meaning."""
    for newest, number in zip(talked_of, PICKS, strict=False):
        praise = [c for c in newest if c.rating in PRAISE and len(c.body) < LONG]
        yield from sorted(praise, key=lambda c: (len(c.body), c.id), reverse=True)[:number]
