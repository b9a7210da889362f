"""``bench copies``: what the copies of comments take, as they are and compressed.

Units and bytes are computed from the items that the site derives, so nothing is stored. Each item
is unpacked again, and must be what it was before it is counted.
"""

import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import ceil
from random import Random
from statistics import fmean
from time import process_time

from django.conf import settings

from comments.items import NewComment, items_of
from comments.models import Comment
from comments.sets.copies import AUTO, copies_of, primary_of
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.django.options import Progress
from dynapages.items import UNITS_PER_BLOCK, Item, blocks_of, item_bytes
from dynapages.lists import timestamp
from lab.bench.data import CommentAnswers, CommentData
from lab.bench.engines import data_file
from lab.bench.pages import comment_lists, measured_pages
from lab.bench.readers import WrongAnswer
from lab.bench.site import Site, open_site
from lab.bench.timing import time_in_turns
from lab.bench.words import WordData, real_reviews
from lab.designs.long_texts import LONG_COMMENTS, long_comments
from lab.figures import BILLED_OVERHEAD
from lab.sets.figures import CopyFigures, Effort, PageTimes, Weighed, Weight
from lab.sets.packing import Packing, packings

PLAIN = "as they are"
SAMPLE, REVIEWS = "sample shop", "real reviews"
LONG, LONG_WHOLE = "long texts", "long texts, whole in each copy"
SAMPLE_COMMENTS = 6_000
REVIEWS_EVERY = 8
"""Of the reviews each so many-th is taken: enough for a mean."""
SAMPLES = 160
"""Comments whose payloads are the dictionary; at most half of all. They are not weighed."""
WRITE_BLOCK = 1_024
"""Bytes of a write unit."""
PAGE_COMMENTS = 3_000
"""Of the product whose page is timed."""
FRAGMENT, WHOLE_PAGE = "fragment", "whole page"
_TEXT = Comment.text.attr_name
_NOT_IN_THE_INDEX = (Comment.version.attr_name, AUTO)
MICROSECONDS = 1_000
"""In a millisecond."""


# What is weighed.


@dataclass(frozen=True, slots=True)
class Primaries:
    """The primary items of comments, which ``about`` describes: some to weigh, some as samples."""

    name: str
    about: str
    weighed: Sequence[Item]
    samples: Sequence[Item]

    @classmethod
    def drawn(cls, name: str, about: str, primaries: Sequence[Item]) -> "Primaries":
        """Draw the samples of a dictionary; all others are weighed."""
        random = Random(1)  # noqa: S311 - repeatable choices, nothing secret
        numbers = set(random.sample(range(len(primaries)), min(SAMPLES, len(primaries) // 2)))
        weighed: list[Item] = []
        samples: list[Item] = []
        for number, primary in enumerate(primaries):
            if number in numbers:
                samples.append(primary)
            else:
                weighed.append(primary)
        return cls(name, f"{len(weighed):,} {about}", weighed, samples)


def all_primaries(now: datetime) -> Iterator[Primaries]:
    """Yield all data: the sample shop's, real reviews if they are here, and long texts."""
    sample = sample_comments(sample_catalogue(), count=SAMPLE_COMMENTS, now=now)
    yield Primaries.drawn(SAMPLE, "comments of the sample shop", primaries_of(sample))
    reviews = real_reviews()
    if reviews is not None:
        real = WordData(reviews, every=REVIEWS_EVERY).comments()
        yield Primaries.drawn(REVIEWS, "real reviews", primaries_of(real))
    long = list(long_comments(LONG_COMMENTS))
    yield Primaries.drawn(
        LONG, "comments with long texts, of which lists show the first lines", primaries_of(long)
    )
    yield Primaries.drawn(
        LONG_WHOLE, "comments with long texts, all of it in each copy", whole_primaries_of(long)
    )


def primaries_of(comments: Iterable[NewComment]) -> list[Item]:
    """Derive the primary items of comments."""
    primaries: list[Item] = []
    for comment in comments:
        item, _long_text = items_of(comment)
        primary = primary_of(item.serialize())
        if primary is not None:
            primaries.append(primary)
    return primaries


def whole_primaries_of(comments: Sequence[NewComment]) -> list[Item]:
    """Derive primary items that have the whole text, as the site does not store it."""
    primaries: list[Item] = []
    for comment, primary in zip(comments, primaries_of(comments), strict=True):
        primaries.append({**primary, _TEXT: {"S": comment.body}})
    return primaries


# Bytes and units.


def weigh(data: Primaries, page_size: int) -> Weighed:
    """Weigh the copies of comments as they are, and in each way. Raises WrongAnswer."""
    weights = [_weight(data, None, page_size)]
    for way in packings(data.samples):
        weights.append(_weight(data, way, page_size))
    return Weighed(data.name, data.about, tuple(weights))


def _weight(data: Primaries, way: Packing | None, page_size: int) -> Weight:
    payloads: list[int] = []
    copies: list[float] = []
    write_units: list[int] = []
    stored: list[int] = []
    entries: list[tuple[str, str, int]] = []
    for primary in data.weighed:
        stored_primary = _stored(primary, way)
        # Copies have the payload of their primary: a writer packs it once for all.
        items = [stored_primary, *copies_of(stored_primary)]
        sizes = [item_bytes(item) for item in items]
        entry_sizes = [item_bytes(entry_of(item)) for item in items]
        # The primary is written by the transaction of the comment, the copies afterwards.
        units = 0
        for size in (*sizes[1:], *entry_sizes[1:]):
            units += ceil(size / WRITE_BLOCK)
        payloads.append(_payload_bytes(items[0]))
        copies.append(fmean(sizes[1:]))
        write_units.append(units)
        stored.append(sum(sizes) + sum(entry_sizes) + 2 * len(items) * BILLED_OVERHEAD)
        entries.append((primary["sk"]["S"], primary["o"]["S"], entry_sizes[0]))
    pages = page_bytes(entries, page_size)
    return Weight(
        way=PLAIN if way is None else way.name,
        payload_bytes=round(fmean(payloads), 1),
        item_bytes=round(fmean(copies), 1),
        write_units=round(fmean(write_units), 2),
        page_bytes=round(fmean(pages)),
        page_units=round(fmean(UNITS_PER_BLOCK * blocks_of(size) for size in pages), 2),
        stored_bytes=round(fmean(stored)),
    )


def _stored(item: Item, way: Packing | None) -> Item:
    """Return an item as it is stored; packed in a way, it must be the same when unpacked."""
    if way is None:
        return item
    packed = way.pack(item)
    if way.unpack(packed) != item:
        raise WrongAnswer(f"{way.name} does not give back {item['pk']['S']}.")
    return packed


def _payload_bytes(item: Item) -> int:
    """Return the bytes of what is neither key nor otherwise read by the database."""
    read_by_database = ("pk", "sk", "o", "g", "s", *_NOT_IN_THE_INDEX)
    return item_bytes({name: item[name] for name in item if name not in read_by_database})


def entry_of(item: Item) -> Item:
    """Return the entry of a set item in its index."""
    return {name: value for name, value in item.items() if name not in _NOT_IN_THE_INDEX}


def page_bytes(entries: Iterable[tuple[str, str, int]], page_size: int) -> list[int]:
    """Return the bytes that each full page reads of lists, newest first.

    Entries are a partition, a place and a size. A page reads one entry more than it shows, which
    tells that there are others.
    """
    lists: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for partition, place, size in entries:
        lists[partition].append((place, size))
    pages = []
    for of_list in lists.values():
        sizes = [size for _place, size in sorted(of_list, reverse=True)]
        for begin in range(0, len(sizes) - page_size, page_size):
            pages.append(sum(sizes[begin : begin + page_size + 1]))
    return pages


# Processor time.


def time_ways(data: Primaries, page_size: int, *, turns: int, progress: Progress) -> list[Effort]:
    """Time each way: packing what is shown of a comment, and unpacking a page."""
    primary, page = data.weighed[0], data.weighed[: page_size + 1]
    actions: dict[tuple[str, str], Callable[[], object]] = {}
    ways = packings(data.samples)
    for way in ways:
        packed = [way.pack(item) for item in page]
        actions[way.name, "pack"] = partial(way.pack, primary)
        actions[way.name, "unpack"] = partial(_unpack_all, way, packed)
    milliseconds = time_in_turns(actions, turns=turns, progress=progress, clock=process_time)
    efforts = []
    for way in ways:
        pack = round(milliseconds[way.name, "pack"] * MICROSECONDS)
        unpack = round(milliseconds[way.name, "unpack"] * MICROSECONDS)
        efforts.append(Effort(way.name, pack, unpack))
    return efforts


def _unpack_all(way: Packing, items: Iterable[Item]) -> None:
    for item in items:
        way.unpack(item)


def time_pages(site: Site, data: CommentData, *, turns: int, progress: Progress) -> PageTimes:
    """Time the first page of all comments of a product, as the site answers it."""
    every_comment, *_filtered = comment_lists(CommentAnswers(data.comments()), site)
    first_page, *_further_pages = measured_pages(every_comment)
    actions: dict[str, Callable[[], object]] = {
        FRAGMENT: partial(first_page.show, fragment=True),
        WHOLE_PAGE: first_page.show,
    }
    milliseconds = time_in_turns(actions, turns=turns, progress=progress, clock=process_time)
    fragment = round(milliseconds[FRAGMENT] * MICROSECONDS)
    return PageTimes(fragment, round(milliseconds[WHOLE_PAGE] * MICROSECONDS))


# All of it.


def measure_copies(*, turns: int, fresh: bool, now: datetime, progress: Progress) -> CopyFigures:
    """Weigh the copies of all data, and time what packing and pages take of the processor.

    Raises EngineError, WrongAnswer and PageFailed.
    """
    size = settings.PAGE_SIZE
    data = list(all_primaries(now))
    weighed = []
    with progress.step("Weighing", total=len(data), unit=" times") as advance:
        for primaries in data:
            weighed.append(weigh(primaries, size))
            advance(1)
    efforts = time_ways(data[0], size, turns=turns, progress=progress)
    pages = CommentData(PAGE_COMMENTS)
    with open_site(data_file(pages, fresh=fresh, progress=progress)) as site:
        page_times = time_pages(site, pages, turns=turns, progress=progress)
    return CopyFigures(
        taken_at=timestamp(now),
        python=platform.python_version(),
        page_size=size,
        weighed=tuple(weighed),
        efforts=tuple(efforts),
        page_times=page_times,
    )
