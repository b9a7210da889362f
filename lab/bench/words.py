"""``bench words``: random searches of reviews by their words, each page compared with the truth.

The reviews are comments on one product: real ones where there are any, else made ones. A search has
one to three words of a random comment, so that frequent words are drawn often. It is made in no
chosen language, in the comment's own or in this one and others, for all ratings or for some, newest
or oldest first. It is asked of the site's API, and followed to its last page.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.test import Client, override_settings

from comments.data.rows import Findings
from comments.data.run import CommentFile
from comments.data.shapes import Shape
from comments.filters import MOST_LANGUAGES, RATINGS, CommentFilter
from comments.items import NewComment, items_of
from comments.lists.orders import CommentOrder
from comments.lists.search_queries import MOST_UNITS
from comments.models import TABLE, Comment
from comments.search.models import WordItem
from comments.search.postings import postings_of
from comments.search.words import BadSearch, Search, indexed_stems, parse_search
from dynapages.calls import clock, metered
from dynapages.django.options import Progress
from dynapages.files.row_files import RowFile, open_rows
from dynapages.items import Item, item_bytes
from dynapages.process import client
from dynapages.pynamodb import DynamoModel
from dynapages.tables import create_missing
from lab.bench.data import PRODUCT_ID, SPAN, START, counts_item, time_and_id
from lab.bench.grid import percentile_95
from lab.bench.pages import create_catalogue
from lab.bench.readers import WrongAnswer
from lab.bench.site import HOST, PageFailed
from lab.report import Limit, Section, Table

API_PATH = "/api/v1"
MOST_WORDS = 3
WRITE_BLOCK = 1_024
"""Bytes of a write unit."""

REVIEWS = "reviews/app_reviews.csv.gz"
COLUMNS = {
    "id": "review_id",
    "language": "store_lang",
    "created_at": "review_date",
    "author": "user_hash",
    "body": "review_text",
}
LANGUAGES_OF_COUNTRIES = {"us": "en", "jp": "ja", "dk": "da"}
"""What the file has in the place of a language."""

MADE_COMMENTS = 8_000
VOCABULARY = 20_000
LENGTH_MEAN, LENGTH_DEVIATION, MOST_LENGTH = 2.8, 0.8, 400
"""Of the logarithm of the number of words in a made comment; and the most words."""


# The comments.


def real_reviews() -> Path | None:
    """Return the file of real reviews, below REAL_DATA_DIR; None where there is none."""
    folder = os.environ.get("REAL_DATA_DIR") or settings.BASE_DIR.parent / "shared" / "data"
    path = Path(folder) / REVIEWS
    return path if path.exists() else None


@dataclass(frozen=True, slots=True)
class WordData:
    """The postings of each ``every``-th review of a file; of made comments without a file."""

    reviews: Path | None
    every: int = 1
    model: type[DynamoModel] = WordItem

    @property
    def name(self) -> str:
        source = "made-comments" if self.reviews is None else "real-reviews"
        return f"words-of-{source}-{self.every}"

    def items(self) -> Iterator[Item]:
        for comment in self.comments():
            yield from _postings_for(comment)

    def comments(self) -> Iterator[NewComment]:
        """Yield the comments, in no order of time."""
        comments = _made_comments() if self.reviews is None else _read_reviews(self.reviews)
        for number, comment in enumerate(comments):
            if number % self.every == 0:
                yield comment


def _read_reviews(path: Path) -> Iterator[NewComment]:
    columns: dict[str, Sequence[str]] = {"title": (), "reply": ()}
    for name, column in COLUMNS.items():
        columns[name] = (column,)
    shape = Shape(columns=columns, languages=LANGUAGES_OF_COUNTRIES).under(PRODUCT_ID)
    source = CommentFile(RowFile(path), shape, clock.now())
    with open_rows(source.file) as rows:
        for comment in source.parse(rows, Findings()):
            if isinstance(comment, NewComment):
                yield comment


def _made_comments() -> Iterator[NewComment]:
    """Yield comments of numbered words, which are as uneven as those of a language."""
    random = Random(1)  # noqa: S311 - repeatable data, nothing secret
    ranks = range(VOCABULARY)
    words = [f"w{rank}" for rank in ranks]
    # Zipf's law, but for the most frequent words, which have no postings in real languages.
    bounds = list(accumulate(1 / (rank + 10) for rank in ranks))
    for number in range(MADE_COMMENTS):
        length = int(random.lognormvariate(LENGTH_MEAN, LENGTH_DEVIATION)) + 1
        body = random.choices(words, cum_weights=bounds, k=min(length, MOST_LENGTH))
        yield NewComment(
            id=f"{random.getrandbits(64):016x}",
            product_id=PRODUCT_ID,
            language="en",
            rating=random.randint(1, 5),
            created_at=START + SPAN * random.random(),
            author=f"reader {number}",
            body=" ".join(body),
        )


def _postings_for(comment: NewComment) -> list[Item]:
    """Build the postings of a comment as the site stores them."""
    item, long_text = items_of(comment)
    return postings_of(item.serialize(), comment.body if long_text else None)


@dataclass(frozen=True, slots=True)
class KnownComment:
    """What decides whether a search finds a comment, known without the site."""

    id: str
    language: str
    rating: int
    text: str
    stems: frozenset[str]


def known_comments(comments: Iterable[NewComment]) -> list[KnownComment]:
    """Return what is known of comments, newest first."""
    newest_first = sorted(comments, key=time_and_id, reverse=True)
    known = []
    for comment in newest_first:
        text = f"{comment.title}\n{comment.body}"
        stems = frozenset(indexed_stems(comment.title, comment.body, comment.language))
        known.append(KnownComment(comment.id, comment.language, comment.rating, text, stems))
    return known


# The searches.


@dataclass(frozen=True, slots=True)
class DrawnSearch:
    """A search, and the ids of the comments that it must find, in its order."""

    search: Search
    chosen: CommentFilter
    order: CommentOrder
    expected: Sequence[str]
    product_id: str = PRODUCT_ID

    def __str__(self) -> str:
        return (
            f"“{self.search.text}” in {self.chosen.languages or 'any'} languages, "
            f"{self.chosen.ratings or 'any'} ratings, {self.order.value} first"
        )

    @property
    def api_url(self) -> str:
        """The path and query of its first page in the API."""
        query: list[tuple[str, object]] = [("q", self.search.text), ("order", self.order.value)]
        query += [("language", language) for language in self.chosen.languages]
        query += [("rating", rating) for rating in self.chosen.ratings]
        return f"{API_PATH}/products/{self.product_id}/comments?{urlencode(query)}"


def draw_search(random: Random, newest_first: Sequence[KnownComment]) -> DrawnSearch:
    """Draw a search of what a random comment says."""
    while True:
        comment = random.choice(newest_first)
        words = _words_of(comment.text, random)
        number = min(len(words), random.randint(1, MOST_WORDS))
        try:
            search = parse_search(" ".join(random.sample(words, number)))
        except BadSearch:
            continue
        if search.words:
            break
    # Sorted, so that a seed draws the same languages in each process.
    all_languages = sorted({one.language for one in newest_first})
    others = random.sample(all_languages, min(len(all_languages), MOST_WORDS))
    languages = random.choice(([], [comment.language], [comment.language, *others]))
    ratings = random.sample(RATINGS, random.choice((0, 0, 1, 2, 3)))
    chosen = CommentFilter.of(languages[:MOST_LANGUAGES], ratings)
    order = random.choice((CommentOrder.NEWEST, CommentOrder.OLDEST))
    return DrawnSearch(search, chosen, order, expected_ids(newest_first, search, chosen, order))


def _words_of(text: str, random: Random) -> list[str]:
    """Return the words of a text; of one without spaces pieces of some characters."""
    words = []
    for word in re.findall(r"\w+", text):
        if len(indexed_stems("", word, "")) <= 1:
            words.append(word)
        else:
            start = random.randrange(len(word) - 1)
            words.append(word[start : start + random.randint(2, 3)])
    return words


def expected_ids(
    newest_first: Sequence[KnownComment], search: Search, chosen: CommentFilter, order: CommentOrder
) -> list[str]:
    """Return the ids of the comments that a search must find, by looking at each."""
    stems_by_language: dict[str, frozenset[str]] = {}
    ids = []
    for comment in newest_first:
        if chosen.languages and comment.language not in chosen.languages:
            continue
        if chosen.ratings and comment.rating not in chosen.ratings:
            continue
        if comment.language not in stems_by_language:
            stems_by_language[comment.language] = frozenset(search.stems(comment.language))
        stems = stems_by_language[comment.language]
        if stems and stems <= comment.stems:
            ids.append(comment.id)
    if order is CommentOrder.OLDEST:
        ids.reverse()
    return ids


# The measuring.


@dataclass(frozen=True, slots=True)
class PageCost:
    """What one page of a search of so many words cost."""

    words: int
    capacity_units: float
    rounds: int


def measure_searches(
    comments: Sequence[NewComment], *, searches: int, progress: Progress
) -> Section:
    """Follow random searches of comments whose postings are stored.

    Raises WrongAnswer where a search does not show exactly the comments that have its words, in
    order, each once, and PageFailed.
    """
    # The truth is computed from the comments themselves, by the words alone, not by postings.
    newest_first = known_comments(comments)
    prepare_product(newest_first)
    random = Random(1)  # noqa: S311 - repeatable choices, nothing secret
    costs: list[PageCost] = []
    with (
        override_settings(COMMENTS={**settings.COMMENTS, "SEARCH": True}),
        progress.step("Searching", total=searches, unit="") as advance,
    ):
        for _ in range(searches):
            costs += _follow(draw_search(random, newest_first))
            advance(1)
    return _section(costs, comments, searches=searches)


def prepare_product(newest_first: Sequence[KnownComment]) -> None:
    """Store what a page needs besides the postings: the product, and the counts of its comments."""
    create_catalogue()
    create_missing([Comment], client=client())
    counts = Counter((comment.language, comment.rating) for comment in newest_first)
    client().put_item(TableName=TABLE, Item=counts_item(PRODUCT_ID, counts))


def _follow(drawn: DrawnSearch) -> Iterator[PageCost]:
    """Ask for a search page by page, and yield what each cost."""
    program = Client(headers={"host": HOST})
    ids: list[str] = []
    url: str | None = drawn.api_url
    while url:
        with metered() as meter:
            response = program.get(url)
        if response.status_code != 200:  # noqa: PLR2004 - HTTP's
            raise PageFailed(url, response.status_code)
        page: dict[str, Any] = response.json()
        ids += [comment["id"] for comment in page["items"]]
        url = page["next"]
        yield PageCost(len(drawn.search.words), meter.amazon_units, meter.rounds)
    if ids != list(drawn.expected):
        raise WrongAnswer(f"The search for {drawn} does not show what the comments have.")


def _section(
    costs: Sequence[PageCost], comments: Sequence[NewComment], *, searches: int
) -> Section:
    by_words: dict[int, list[PageCost]] = defaultdict(list)
    for cost in costs:
        by_words[cost.words].append(cost)
    rows = []
    for words, pages in sorted(by_words.items()):
        units = [page.capacity_units for page in pages]
        rounds = fmean(page.rounds for page in pages)
        mean, dearest = round(fmean(units), 2), max(units)
        rows.append((str(words), len(pages), mean, percentile_95(units), dearest, round(rounds, 2)))
    sizes: list[int] = []
    for comment in comments:
        sizes += map(item_bytes, _postings_for(comment))
    written = sum(ceil(size / WRITE_BLOCK) for size in sizes)
    about = (
        f"{searches:,} searches of {len(comments):,} comments, each followed to its end. A comment "
        f"has {len(sizes) / len(comments):.1f} postings of {fmean(sizes):.0f} bytes, which take "
        f"{written / len(comments):.1f} units to write in batches."
    )
    return Section(
        "Searches by words",
        [about],
        [
            Table(
                "Capacity units and rounds of all that a page reads",
                ("words", "pages", "mean", "95 %", "most", "rounds"),
                rows,
            )
        ],
        [
            Limit(
                "units of the dearest page", MOST_UNITS, max(cost.capacity_units for cost in costs)
            )
        ],
    )
