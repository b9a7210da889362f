"""Random lists whose sort keys are strings, numbers or binaries, many of them equal.

The truth is a plain sort by sort key and by what tells items of one sort key apart.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from dynapages import Feed, FeedPage, Index, Tokens
from dynapages.items import Item, KeyValue, key_value, wire_value
from dynapages.lists.key_texts import tie_of
from dynapages_testing.merged_lists import cuts
from dynapages_testing.query_model import QueryModel, never
from dynapages_testing.strict import Request

TOKENS = Tokens("a secret of the tests")
BY_SORT = Index("things", "by_sort", partition="p", sort="s", table_key=("pk", "sk"))
ONLY_RED = {
    "FilterExpression": "#p IN (:p)",
    "ExpressionAttributeNames": {"#p": "kind"},
    "ExpressionAttributeValues": {":p": {"S": "red"}},
}
"""A filter whose placeholders are those that the library itself uses."""

strings = ["a", "a\0", "a\0\0", "a\0\1", "a\1", "ab", "a\U0010ffff", "b", "é", "\ue000", "𝄞"]
numbers = [
    "-9.9E+125",
    "-12.3",
    "-12",
    "-1E-130",
    "0",
    "1E-130",
    "5",
    "12",
    "12.3",
    "100",
    "9E+125",
]
binaries = [b"a", b"a\0", b"a\0\0", b"a\xff", b"ab", b"b", b"\xff", b"\xff\xff"]
KINDS: Mapping[str, Sequence[KeyValue]] = {
    "S": strings,
    "N": [Decimal(number) for number in numbers],
    "B": binaries,
}


@dataclass
class TiedList:
    """The items of a table, and the feed's arguments: sections of partitions, order and prefix."""

    items: list[Item]
    sections: list[list[str]]
    newest_first: bool = True
    begins_with: str | bytes = ""
    filters: bool = False
    cut: Callable[[Request], int | None] = never
    requests: list[Request] = field(default_factory=list)

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "partitions": self.sections if len(self.sections) > 1 else self.sections[0],
            "newest_first": self.newest_first,
            "begins_with": self.begins_with,
            "query": ONLY_RED if self.filters else None,
            "tokens": TOKENS,
            "name": "things",
            "wire": True,
        }

    def model(self) -> QueryModel:
        return QueryModel({"by_sort": ("p", "s")}, self.items, self.cut, self.requests)

    def feed(self, index: Index = BY_SORT, **other: Any) -> Feed:
        return Feed(index, **{"client": self.model(), **self.arguments, **other})

    def truth(self) -> list[Item]:
        """Return what the feed lists, in order."""
        return [item for section in self.sections for item in self._sorted(section)]

    def _sorted(self, section: Sequence[str]) -> list[Item]:
        found = [
            item
            for item in self.items
            if item["p"]["S"] in section
            and (not self.filters or item["kind"] == {"S": "red"})
            and _begins(key_value(item["s"]), self.begins_with)
        ]
        return sorted(found, key=_place, reverse=self.newest_first)


class Awaited:
    """A client that is awaited, of one that is not, whose calls are made in threads."""

    def __init__(self, client: Any) -> None:
        self._client = client
        if hasattr(client, "meta"):
            self.meta = client.meta

    async def query(self, **request: Any) -> Any:
        return await asyncio.to_thread(self._client.query, **request)


def _begins(value: KeyValue, prefix: str | bytes) -> bool:
    return not prefix or value.startswith(prefix)  # type: ignore[union-attr,arg-type] # of one type


def _place(item: Item) -> tuple[Any, str]:
    return key_value(item["s"]), tie_of(item, ("pk", "sk"))


def thing(number: int, partition: str, sort: KeyValue, kind: str = "red") -> Item:
    return {
        "pk": {"S": f"THING#{number % 5}"},
        "sk": {"S": f"{number:04d}"},
        "p": {"S": partition},
        "s": wire_value(sort),
        "kind": {"S": kind},
    }


def walk(feed: Feed, size: int) -> list[FeedPage]:
    """Read every page, from the first one on."""
    pages = [feed.page(size)]
    while (following := pages[-1].next) is not None:
        pages.append(feed.page(size, after=following))
    return pages


def walk_back(feed: Feed, size: int) -> list[FeedPage]:
    """Read every page from the last one back; the first one comes first."""
    pages = [feed.page(size, before="end")]
    while (preceding := pages[-1].previous) is not None:
        pages.append(feed.page(size, before=preceding))
    return pages[::-1]


def walk_back_from(feed: Feed, size: int, token: str | None) -> list[FeedPage]:
    """Read every page from a string on back, none without a string; the first one comes first."""
    pages: list[FeedPage] = []
    while token is not None:
        pages.append(feed.page(size, before=token))
        token = pages[-1].previous
    return pages[::-1]


def walk_from(feed: Feed, size: int, token: str | None) -> list[FeedPage]:
    """Read every page from a string on, none without a string."""
    pages: list[FeedPage] = []
    while token is not None:
        pages.append(feed.page(size, after=token))
        token = pages[-1].next
    return pages


def items_of(pages: Sequence[FeedPage]) -> list[Item]:
    return [item for page in pages for item in page.items]


@st.composite
def tied_lists(draw: st.DrawFn, *, at_most: int = 40) -> TiedList:
    kind = draw(st.sampled_from(sorted(KINDS)))
    sorts = draw(st.lists(st.sampled_from(KINDS[kind]), min_size=1, max_size=6, unique=True))
    of_thing = st.tuples(
        st.sampled_from("ABCD"), st.sampled_from(sorts), st.sampled_from(["red", "red", "blue"])
    )
    things = draw(st.lists(of_thing, max_size=at_most))
    partitions = draw(st.lists(st.sampled_from("ABCD"), min_size=1, unique=True))
    borders = draw(st.lists(st.integers(0, len(partitions)), max_size=3))
    edges = [0, *sorted(borders), len(partitions)]
    sections = [partitions[begin:end] for begin, end in pairwise(edges)]
    prefixes: Sequence[str | bytes] = {"S": ["", "a", "a\0", "a\U0010ffff"], "N": [""]}.get(
        kind, [b"", b"a", b"\xff"]
    )
    return TiedList(
        items=[thing(number, *each) for number, each in enumerate(things)],
        sections=sections,
        newest_first=draw(st.booleans()),
        begins_with=draw(st.sampled_from(prefixes)),
        filters=draw(st.booleans()),
        cut=draw(st.just(never) | cuts),
    )
