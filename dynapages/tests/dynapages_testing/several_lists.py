"""Random lists of an index of several partition and sort attributes, of any types, many equal.

The truth is a plain sort by the sort attributes and by what tells items of equal ones apart.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import botocore.session
import pytest
from hypothesis import strategies as st

from dynapages import Feed, Index
from dynapages.index_keys import MOST_OF_A_GLOBAL_INDEX
from dynapages.items import Item, KeyValue, key_value, wire_value
from dynapages.lists.key_texts import tie_of
from dynapages_testing.merged_lists import cuts
from dynapages_testing.query_model import QueryModel, never
from dynapages_testing.strict import Request, refuse_what_aws_refuses
from dynapages_testing.tied_lists import KINDS, ONLY_RED, TOKENS

NAME = "by_several"
PARTITION_NAMES = ("zone", "area", "room", "desk")
SORT_NAMES = ("stage", "level", "at", "back")
"""Not in the order of the alphabet."""
MOST_EQUAL = 300
MOST_OF_A_BATCH = 25


@dataclass
class SeveralList:
    """The items of a table, and the feed's arguments: sections of partitions, order, prefix."""

    items: list[Item]
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    kinds: dict[str, str]
    sections: list[list[tuple[KeyValue, ...]]]
    newest_first: bool = True
    begins_with: tuple[KeyValue, ...] = ()
    filters: bool = False
    cut: Callable[[Request], int | None] = never
    requests: list[Request] = field(default_factory=list)

    @property
    def index(self) -> Index:
        key = {"partition": self.partition, "sort": self.sort}
        return Index("things", NAME, **key, table_key=("pk", "sk"))  # type: ignore[arg-type] # both

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
        schema = {NAME: (self.partition, self.sort)}
        return QueryModel(schema, self.items, self.cut, self.requests)

    def feed(self, **other: Any) -> Feed:
        return Feed(self.index, **{"client": self.model(), **self.arguments, **other})

    def truth(self) -> list[Item]:
        """Return what the feed lists, in order."""
        return [item for section in self.sections for item in self._sorted(section)]

    def _sorted(self, section: Sequence[tuple[KeyValue, ...]]) -> list[Item]:
        found = [item for item in self.items if self._is_listed(item, section)]
        return sorted(found, key=self._place, reverse=self.newest_first)

    def _is_listed(self, item: Item, section: Sequence[tuple[KeyValue, ...]]) -> bool:
        if not {*self.partition, *self.sort} <= item.keys():
            return False
        if self.filters and item["kind"] != {"S": "red"}:
            return False
        partition = tuple(key_value(item[name]) for name in self.partition)
        first = tuple(key_value(item[name]) for name in self.sort[: len(self.begins_with)])
        return partition in section and first == self.begins_with

    def _place(self, item: Item) -> tuple[Any, str]:
        values = [key_value(item[name]) for name in self.sort]
        return values, tie_of(item, ("pk", "sk"))


@st.composite
def several_lists(draw: st.DrawFn, *, at_most: int = 40, cut_short: bool = True) -> SeveralList:
    """Lists of up to four and four attributes, some of which fix the first sort attributes."""
    numbers = st.integers(1, MOST_OF_A_GLOBAL_INDEX)
    partition, sort = PARTITION_NAMES[: draw(numbers)], SORT_NAMES[: draw(numbers)]
    kinds = {name: draw(st.sampled_from(sorted(KINDS))) for name in (*partition, *sort)}
    values = {}
    for name, kind in kinds.items():
        several = st.lists(st.sampled_from(KINDS[kind]), min_size=1, max_size=3, unique=True)
        values[name] = st.sampled_from(draw(several))
    partitions_of = st.tuples(*[values[name] for name in partition])
    partitions = draw(st.lists(partitions_of, min_size=1, max_size=4, unique=True))
    of_thing = st.tuples(
        st.sampled_from(partitions),
        st.tuples(*[values[name] for name in sort]),
        st.sampled_from(["red", "red", "blue"]),
        st.none() | st.sampled_from([*partition, *sort]),
    )
    items = []
    for number, (in_partition, at, kind, lacking) in enumerate(
        draw(st.lists(of_thing, max_size=at_most))
    ):
        item = thing(number, dict(zip((*partition, *sort), (*in_partition, *at), strict=True)))
        item |= {"kind": {"S": kind}}
        # An item without one of the attributes is not in the index.
        items.append({name: value for name, value in item.items() if name != lacking})
    borders = draw(st.lists(st.integers(0, len(partitions)), max_size=2))
    edges = [0, *sorted(borders), len(partitions)]
    prefix = draw(st.tuples(*[values[name] for name in sort[: draw(st.integers(0, len(sort)))]]))
    return SeveralList(
        items=items,
        partition=partition,
        sort=sort,
        kinds=kinds,
        sections=[partitions[begin:end] for begin, end in pairwise(edges)],
        newest_first=draw(st.booleans()),
        begins_with=prefix,
        filters=draw(st.booleans()),
        cut=draw(st.just(never) | cuts) if cut_short else never,
    )


def thing(number: int, key: dict[str, KeyValue]) -> dict[str, Any]:
    """Return an item of a table whose keys are a string and a number."""
    item = {"pk": {"S": f"THING#{number % 5}"}, "sk": {"N": str(number)}, "kind": {"S": "red"}}
    return {**item, **{name: wire_value(value) for name, value in key.items()}}


@contextmanager
def moto_client() -> Iterator[Any]:
    """A client of moto in this process, as strict as AWS; a test is skipped where moto is not."""
    moto = pytest.importorskip("moto")
    with moto.mock_aws():
        client = botocore.session.get_session().create_client(
            "dynamodb",
            "us-east-1",
            aws_access_key_id="tests",
            aws_secret_access_key="tests",
        )
        refuse_what_aws_refuses(client)
        yield client


def fill(client: Any, several: SeveralList, table: str = "things") -> None:
    """Make the table of a list, and put its items."""
    client.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in {"pk": "S", "sk": "N", **several.kinds}.items()
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": NAME,
                "KeySchema": [
                    *[{"AttributeName": name, "KeyType": "HASH"} for name in several.partition],
                    *[{"AttributeName": name, "KeyType": "RANGE"} for name in several.sort],
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    for begin in range(0, len(several.items), MOST_OF_A_BATCH):
        some = several.items[begin : begin + MOST_OF_A_BATCH]
        puts = [{"PutRequest": {"Item": item}} for item in some]
        client.batch_write_item(RequestItems={table: puts})
