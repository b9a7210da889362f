"""Searches by words, on real reviews where there are any, and on made ones otherwise.

All comments are on one product, and each language is searched by itself. A word is drawn from a
random comment, so that frequent ones are drawn often, or from all words alike; a second one from
the same comment, so that something is found. Each page is compared with the right answer, and other
designs are asked the same (`lab.bench.word_designs`).
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from math import ceil
from pathlib import Path
from random import Random
from statistics import fmean

from django.conf import settings

from comments.data.rows import Findings, Shape
from comments.data.run import CommentFile
from comments.filters import CommentFilter
from comments.items import NewComment, items_of
from comments.lists.search_queries import SearchRequest, search_comments
from comments.search.models import WordItem
from comments.search.postings import STEMS, postings_of
from comments.search.words import MOST_STEMS, indexed_stems, parse_search, stems_of
from comments.search.writer import WordWriter
from comments.store.counts import ProductCounts
from dynapages.calls import clock, metered
from dynapages.django.options import Progress
from dynapages.files.row_files import RowFile, open_rows
from dynapages.items import Item, item_bytes
from dynapages.lists import PageRequest, dollars, prices
from dynapages.process import page_batches
from dynapages.pynamodb import DynamoModel
from lab.bench.context import BenchContext, Stores, open_context, require_binary
from lab.bench.data import PRODUCT_ID, SPAN, START, CommentData
from lab.bench.pages import WrongAnswer
from lab.bench.word_designs import (
    FILTER,
    SEGMENTS,
    THIN,
    WRITE_BLOCK,
    Listed,
    OtherDesigns,
    WordCost,
)
from lab.reports.results import Results, Row, Value, rows
from lab.reports.tables import Section, section

PART = "words"
HERE = "postings with entries, as here"
DESIGNS = {
    HERE: HERE,
    THIN: "postings of keys, read in turns",
    SEGMENTS: "segments of keys",
    FILTER: "a filter over the list",
}
ONE, TWO, TWO_OF_ALL = "one word", "two words", "two of all words"
SEARCHES = 300
"""Of each kind and language."""
ENOUGH = 5_000
"""Comments of a language that is searched."""
REVIEWS = "reviews/app_reviews.csv.gz"
COLUMNS = {
    "id": "review_id",
    "language": "store_lang",
    "created_at": "review_date",
    "author": "user_hash",
    "body": "review_text",
}
COUNTRIES = {"us": "en", "jp": "ja", "dk": "da"}
"""What the file has where a language should be."""
PUT_AND_DELETED = 2 * 2
"""Units of a kilobyte that one transaction puts and another one deletes."""
KILO = 1_000
"""Bytes of one comment's postings that are a gigabyte of a million comments'."""
MADE = 8_000
VOCABULARY = 20_000


def real_reviews() -> Path | None:
    """Return the file of real reviews; None where there is none."""
    folder = os.environ.get("REAL_DATA_DIR") or settings.BASE_DIR.parent / "shared" / "data"
    path = Path(folder) / REVIEWS
    return path if path.exists() else None


@dataclass(frozen=True, slots=True)
class WordData(CommentData):
    """The postings of all reviews of a file as comments on one product; of made ones without it."""

    reviews: Path | None = None
    model: type[DynamoModel] = WordItem

    @property
    def name(self) -> str:
        return f"words-{self.count}" if self.reviews is None else "words-of-real-reviews"

    def items(self) -> Iterator[Item]:
        for comment in self.comments():
            yield from postings_for(comment)

    def comments(self) -> Iterator[NewComment]:
        yield from self._made() if self.reviews is None else self._real(self.reviews)

    def _real(self, path: Path) -> Iterator[NewComment]:
        columns = {**dict.fromkeys(("title", "reply"), ()), **_listed(COLUMNS)}
        shape = Shape(columns=columns, languages=COUNTRIES).under(PRODUCT_ID)
        source = CommentFile(RowFile(path), shape, clock.now())
        with open_rows(source.file) as found:
            for one in source.parse(found, Findings()):
                if isinstance(one, NewComment):
                    yield one

    def _made(self) -> Iterator[NewComment]:
        """Yield comments of numbered words, which are as uneven as those of a language."""
        rng = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        words = [f"w{rank}" for rank in range(VOCABULARY)]
        bounds = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
        for _ in range(self.count):
            length = min(int(rng.lognormvariate(2.8, 0.8)) + 1, 400)
            yield NewComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=PRODUCT_ID,
                language="en",
                rating=rng.randint(1, 5),
                created_at=START + SPAN * rng.random(),
                author=f"reader {rng.randrange(self.count)}",
                body=" ".join(rng.choices(words, cum_weights=bounds, k=length)),
            )


def _listed(columns: Mapping[str, str]) -> dict[str, Sequence[str]]:
    return {field: (column,) for field, column in columns.items()}


def postings_for(comment: NewComment) -> list[Item]:
    """Build the postings of a comment as the site stores them."""
    item, body = items_of(comment)
    return postings_of(item.serialize(), comment.body if body else None)


@dataclass(frozen=True, slots=True)
class _Posted:
    """A comment by its postings: its place, its stems, and the words that these are of.

    ``change_units`` are for the change that names the postings, and for its mark.
    """

    place: str
    stems: frozenset[str]
    words: Mapping[str, str]
    postings: Sequence[int]
    entry_bytes: int
    change_units: int

    @classmethod
    def of(cls, comment: NewComment) -> "_Posted | None":
        postings = postings_for(comment)
        if not postings:
            return None
        sizes = [item_bytes(one) for one in postings]
        stems = frozenset(indexed_stems(comment.title, comment.body, comment.language))
        words = {}
        for word in re.findall(r"\w+", comment.body):
            found = stems_of(word, comment.language)
            if len(found) == 1 and found[0] in stems:
                words[found[0]] = word
        without = {name: value for name, value in postings[0].items() if name != STEMS}
        change = units_of_change(postings)
        return cls(postings[0]["o"]["S"], stems, words, sizes, item_bytes(without), change)


def units_of_change(postings: Sequence[Item]) -> int:
    """Return the units of storing what postings are about to be written, and of deleting it.

    That is a `WordChange` with its marks, which is put in the transaction of the comment.
    """
    named = {(one["pk"]["S"], one["o"]["S"]) for one in postings}
    items = [put["Put"]["Item"] for put in WordWriter(page_batches(), named=named).put()]
    return sum(PUT_AND_DELETED * ceil(item_bytes(item) / WRITE_BLOCK) for item in items)


def measure_words(*, fresh: bool, progress: Progress) -> Iterator[Row]:
    """Search for words and pairs of words. Raises WrongAnswer and EngineError."""
    data = WordData(MADE, reviews=real_reviews())
    stored = Stores(settings.VAR_DIR / "bench", require_binary(), progress).hold(data, fresh=fresh)
    sentence = "" if data.reviews else "Made comments: there are no real reviews here. "
    yield Row(PART, None, None, None, "data", sentence + stored.sentence)
    yield Row(PART, None, None, None, "page_size", settings.PAGE_SIZE)
    posted = defaultdict[str, list[_Posted]](list)
    counts: Counter[tuple[str, int]] = Counter()
    for comment in data.comments():
        counts[comment.language, comment.rating] += 1
        if one := _Posted.of(comment):
            posted[comment.language].append(one)
    everything = [one for some in posted.values() for one in some]
    yield from _written(everything, sum(counts.values()))
    with open_context(db_path=stored.path, progress=progress) as context:
        for language, some in posted.items():
            if len(some) >= ENOUGH:
                yield from _search(context, language, some, ProductCounts(counts))


def _written(posted: Sequence[_Posted], comments: int) -> Iterator[Row]:
    """Yield what the words of a comment take to write on Amazon DynamoDB: postings in batches."""
    units = sum(ceil(size / WRITE_BLOCK) for one in posted for size in one.postings)
    full = sum(len(one.stems) == MOST_STEMS for one in posted)
    values = {
        "postings": sum(len(one.postings) for one in posted) / comments,
        "posting_units": units / comments,
        "change_units": sum(one.change_units for one in posted) / comments,
        "posting_bytes": fmean(size for one in posted for size in one.postings),
        "full_share": full / comments,
    }
    yield from rows(PART, values)
    written = values["posting_units"] + values["change_units"]
    yield Row(PART, None, None, HERE, "written", written)


def _search(
    context: BenchContext, language: str, posted: Sequence[_Posted], counts: ProductCounts
) -> Iterator[Row]:
    rng = Random(len(posted))  # noqa: S311 - repeatable choices, nothing secret
    newest = sorted(posted, key=lambda one: one.place, reverse=True)
    others = OtherDesigns([Listed(o.stems, o.entry_bytes) for o in newest], context.page_size)
    for design, units in others.written().items():
        yield Row(PART, None, None, DESIGNS[design], "written", units)
    label = f"Searching {language}"
    with context.progress.step(label, total=3 * SEARCHES, unit="") as advance:
        for number, (kind, words) in enumerate(_drawn(rng, newest)):
            found = _read(language, words, newest, counts=counts, size=context.page_size)
            of_designs = {HERE: WordCost(float(found["capacity_units"]), int(found["rounds"]))}
            of_designs |= others.costs(words)
            yield from rows(PART, found, list=kind, page=number, reader=language)
            for design, cost in of_designs.items():
                values: dict[str, Value] = {"one_word": cost.capacity_units}
                if kind != ONE:
                    values = {"two_words": cost.capacity_units, "two_rounds": cost.rounds}
                yield from rows(PART, values, page=number, reader=DESIGNS[design])
            advance(1)


def _drawn(rng: Random, posted: Sequence[_Posted]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield kinds of searches, and the words of each by their stems."""
    having = defaultdict[str, list[_Posted]](list)
    for one in posted:
        for stem in sorted(one.words):
            having[stem].append(one)
    number = {ONE: 1, TWO: 2, TWO_OF_ALL: 2}
    vocabulary = [*having]
    for kind in chain.from_iterable([kind] * SEARCHES for kind in number):
        one, stems = posted[0], list[str]()
        while len(stems) < number[kind]:
            if kind == TWO_OF_ALL:
                first = rng.choice(vocabulary)
                one = rng.choice(having[first])
                rest = sorted({*one.words} - {first})
                stems = [first, *rng.sample(rest, 1)] if rest else []
            else:
                one = rng.choice(posted)
                stems = rng.sample(sorted(one.words), min(number[kind], len(one.words)))
        yield kind, {stem: one.words[stem] for stem in stems}


def _read(
    language: str,
    words: Mapping[str, str],
    newest: Sequence[_Posted],
    *,
    counts: ProductCounts,
    size: int,
) -> dict[str, Value]:
    """Read the first page of a search, and compare it with the right answer."""
    wanted = SearchRequest(parse_search(" ".join(words.values())))
    chosen, request = CommentFilter.of([language]), PageRequest(size)
    with metered() as meter:
        page = search_comments(PRODUCT_ID, wanted, chosen, request, counts=counts).page
    places = [entry.position.place for entry in page.entries]
    expected = [one.place for one in newest if one.stems.issuperset(words)]
    is_short = len(places) < min(len(expected), request.size)
    if places != expected[: len(places)] or (is_short and not page.has_next):
        raise WrongAnswer(
            f"A search for {', '.join(words.values())} is not what the comments have."
        )
    return {
        "capacity_units": meter.amazon_units,
        "rounds": page.rounds,
        "is_full": not is_short,
        "matching": len(expected),
    }


def words_section(found: Results) -> Section:
    """Write the section of searches by words."""
    languages = tuple(one for one in found.names("reader") if one not in DESIGNS.values())
    here = found.where(reader=languages)
    two = here.where(list=(TWO, TWO_OF_ALL))
    written = found.where(reader=HERE).number("written")
    return section(
        "words",
        found,
        groups={"here": here, "designs": found.where(reader=tuple(DESIGNS.values()))},
        searches=len(here.numbers("rounds")),
        one_word=fmean(here.where(list=ONE).numbers("capacity_units")),
        two_words=fmean(two.numbers("capacity_units")),
        dearest=max(here.numbers("capacity_units")),
        short=100 - 100 * fmean(two.numbers("is_full")),
        two_rounds=fmean(two.numbers("rounds")),
        written=written,
        dollars=dollars(prices().writes(written)),
        gigabytes=found.number("postings") * found.number("posting_bytes") / KILO,
    )
