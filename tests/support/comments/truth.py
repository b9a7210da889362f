"""What a list of comments must hold, found without the shop: all of them sorted, then sieved."""

import csv
import gzip
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random

from comments.items import NewComment
from comments.lists.orders import CommentOrder

REVIEWS = "reviews/app_reviews.csv.gz"
COUNTRIES = {"us": "en", "jp": "ja", "dk": "da"}
"""What the file has where a language should be."""

LANGUAGES = ("da", "de", "en", "es", "fr", "is", "it", "ja", "nl", "pt", "ru")
LANGUAGE_SETS = (
    ("da", "de"),
    ("en", "fr"),
    ("it", "nl"),
    ("is", "ru"),
    ("es", "pt"),
    ("fr", "ja"),
    ("es", "nl", "pt"),
    ("da", "fr", "is", "ja", "nl"),
    ("da", "is", "pt"),
    ("de", "en"),
    ("en", "es", "it", "ru"),
    ("de", "fr", "it", "nl", "pt", "ru"),
)
RATING_SETS = tuple(
    chosen for size in range(1, 6) for chosen in combinations((1, 2, 3, 4, 5), size)
)
ALL_LANGUAGE_CHOICES = ((), *((language,) for language in LANGUAGES), *LANGUAGE_SETS)
"""Any, each alone, a dozen sets."""

VOTES = (0, 2, None, 1, 0, 0, 12)
"""Helpful votes of comments by turns."""

START = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ODD_IDS = (
    "a#b",
    "a/b",
    "50%",
    "50%25",
    "a+b",
    "a b",
    "a?after=b",
    "a&b=c",
    'a"b<i>',
    "a'b",
    "a;b",
    "~",
    "ärger",
    "日本語",
    "🦊🧡",
    "gp:" + "x" * 87,
)


def by_votes(newest: Sequence[NewComment]) -> list[NewComment]:
    """Those with votes by these, of the same number the greatest id first; then the others."""
    voted = [comment for comment in newest if comment.helpful]
    others = [comment for comment in newest if not comment.helpful]
    return [*sorted(voted, key=lambda c: (c.helpful, c.id), reverse=True), *others]


Ordered = Callable[[Sequence[NewComment]], Iterable[NewComment]]
ORDERED: dict[CommentOrder, Ordered] = {
    CommentOrder.NEWEST: iter,
    CommentOrder.OLDEST: reversed,
    CommentOrder.HIGHEST: lambda newest: sorted(newest, key=lambda c: -c.rating),
    CommentOrder.LOWEST: lambda newest: sorted(newest, key=lambda c: c.rating),
    CommentOrder.HELPFUL: by_votes,
}
"""From the newest first to each order."""


class Truth:
    """All comments of a product, newest first; of one moment, the greatest id first."""

    def __init__(self, comments: Iterable[NewComment]) -> None:
        self.comments = sorted(comments, key=lambda c: (c.created_at, c.id), reverse=True)

    def ids(
        self,
        languages: Collection[str] = (),
        ratings: Collection[int] = (),
        order: CommentOrder = CommentOrder.NEWEST,
    ) -> list[str]:
        """What a filter leaves; an empty one leaves everything."""
        return [
            comment.id
            for comment in ORDERED[order](self.comments)
            if (not languages or comment.language in languages)
            and (not ratings or comment.rating in ratings)
        ]


def real_comments(folder: Path, product_id: str, *, every: int = 1) -> list[NewComment]:
    """The reviews of the real data, or each n-th of them, as comments on one product."""
    with gzip.open(folder / REVIEWS, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[::every]
    return [
        NewComment(
            id=row["review_id"],
            product_id=product_id,
            language=COUNTRIES.get(row["store_lang"], row["store_lang"]),
            rating=int(row["rating"]),
            created_at=datetime.strptime(row["review_date"] + "Z", "%Y-%m-%d %H:%M:%S%z"),
            author=row["user_hash"],
            body=row["review_text"],
        )
        for row in rows
    ]


def tied_comments(product_id: str, *, count: int = 300, seed: int = 7) -> list[NewComment]:
    """Comments of which many share their microsecond, in all languages and ratings.

    Ids are unique to the product, and some of them hold what keys and addresses are made of.
    """
    rng = Random(seed)
    odd = iter(ODD_IDS)
    return [
        NewComment(
            id=f"{next(odd, '')}{number}-{product_id}"[-128:],
            product_id=product_id,
            language=rng.choice(LANGUAGES),
            rating=rng.randint(1, 5),
            created_at=START + timedelta(microseconds=rng.choice((0, 1, 2, 9, 10, 999_999))),
            author=f"Author {number}",
            title=f"Title {number}",
            body=f"Comment number {number}.",
            helpful=VOTES[number % len(VOTES)],
        )
        for number in range(count)
    ]


def numbered_comments(
    product_id: str, *, count: int, languages: Collection[str] = ("en",)
) -> list[NewComment]:
    """Comments a minute apart, the last one the newest, languages and ratings by turns."""
    codes = sorted(languages)
    return [
        NewComment(
            id=f"{product_id}-{number:04}",
            product_id=product_id,
            language=codes[number % len(codes)],
            rating=number // len(codes) % 5 + 1,
            created_at=START + timedelta(minutes=number),
            author=f"Author {number}",
            body=f"Comment number {number}.",
        )
        for number in range(count)
    ]


def written(product_id: str, **changes: object) -> NewComment:
    """One comment on a product, in which the test names what matters to it."""
    comment = NewComment(
        id=f"{product_id}-only",
        product_id=product_id,
        language="en",
        rating=4,
        created_at=START,
        author="Ada",
        body="Does what it says.",
    )
    return replace(comment, **changes)  # type: ignore[arg-type] # a test may change any field
