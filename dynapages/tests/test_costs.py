"""What a page costs, as the documents say: measured, and the same for page 1 and page 1,000."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from dynapages import Feed, Index, Pool, Tokens, metered
from dynapages.lists import MeanSizes, feed

LIBRARY = Path(__file__).resolve().parents[1]
README, COSTS = LIBRARY / "README.md", LIBRARY / "docs" / "costs.md"
TOKENS = Tokens("a secret of the tests alone")
PAGES = 1_000
READ_AT_ONCE = 999
PAGES_OF_A_WALK = 20
"""Of the table of first reads: each figure is their mean."""
WRITERS = Pool(4)

pytestmark = pytest.mark.real_engine


@pytest.fixture(autouse=True)
def _unknown_sizes(monkeypatch):
    """Read as a process that has seen no item yet."""
    monkeypatch.setattr(feed, "SIZES", MeanSizes())


def write(client, table: str, items: list[dict]) -> None:
    def put(start: int) -> None:
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        client.batch_write_item(RequestItems={table: puts})

    WRITERS.map(put, range(0, len(items), 25))


def item(partition: str, n: int, size: int) -> dict[str, dict[str, str]]:
    """An item of so many bytes."""
    key = {"pk": {"S": partition}, "sk": {"S": f"{n:06}"}}
    return {**key, "text": {"S": "x" * (size - len(partition) - 14)}}


def walk_of(partitions: list[str], table: str, **how) -> Feed:
    index = Index(table, partition="pk", sort="sk")
    options = {"tokens": TOKENS, "name": "costs", "newest_first": False}
    return Feed(index, partitions, **options, **how)


# The table of the README


@dataclass(frozen=True)
class Row:
    """A list of the README's table: its partitions, each of which has an even share of it."""

    partitions: int
    size: int
    item_bytes: int

    @property
    def names(self) -> list[str]:
        return [f"{self.partitions} partitions, {n}" for n in range(self.partitions)]

    def write(self, client, table: str) -> None:
        """Write an item more than its thousand pages hold, each into any of its partitions."""
        chance = Random(self.size)
        items = []
        for n in range(self.size * PAGES + 1):
            items.append(item(chance.choice(self.names), n, self.item_bytes))
        write(client, table, items)

    def line(self, client, table: str) -> str:
        read = walk_of(self.names, table, client=client)
        first = measured(read, self.size)
        behind = None
        for _ in range((PAGES - 1) * self.size // READ_AT_ONCE):
            behind = read.page(READ_AT_ONCE, after=behind).next
        (last,) = read.page(1, after=behind).items
        assert last["sk"] == f"{(PAGES - 1) * self.size:06}"
        deep = measured(read, self.size, behind)
        return f"| {self.partitions} | {self.size} | {first} | {deep} |"


ROWS = (Row(1, 10, 200), Row(2, 10, 200), Row(8, 10, 200), Row(16, 50, 400))


def measured(read: Feed, size: int, after: str | None = None) -> str:
    with metered() as cost:
        page = read.page(size, after=after)
    assert len(page.items) == size
    return f"{counted(cost.units, 'unit')}, {counted(cost.rounds, 'round')}"


def counted(number: float, thing: str) -> str:
    return f"{number:g} {thing}{'' if number == 1 else 's'}"


def test_the_table_of_costs_is_measured(client, new_table):
    lines = ["| partitions | items of a page | page 1 | page 1,000 |", "|---:|---:|---|---|"]
    for row in ROWS:
        table = new_table()
        row.write(client, table)
        lines.append(row.line(client, table))
    assert table_in(README, "partitions") == lines


def table_in(document: Path, first_column: str) -> list[str]:
    """Return the lines of the table of a document that begins with this column."""
    pattern = rf"^\| {re.escape(first_column)} \|.*\n(?:\|.*\n)+"
    (told,) = re.findall(pattern, document.read_text(), re.MULTILINE)
    lines: list[str] = told.splitlines()
    return lines


# The table of first reads in docs/costs.md


@dataclass(frozen=True)
class Shape:
    """A list of partitions of some weights, and the size of its pages."""

    words: str
    weights: tuple[float, ...]
    size: int

    @property
    def names(self) -> list[str]:
        return [f"{self.words}, {n}" for n in range(len(self.weights))]

    @property
    def shares(self) -> Mapping[str, float]:
        return dict(zip(self.names, self.weights, strict=True))

    def write(self, client, table: str) -> None:
        """Write items of 330 to 340 bytes, each into a partition by the weights."""
        chance = Random(self.words)
        items = []
        # So many that each partition has a whole page behind the last one.
        pages = PAGES_OF_A_WALK + 2 * len(self.weights)
        for n in range(self.size * pages):
            (owner,) = chance.choices(self.names, self.weights)
            items.append(item(owner, n, chance.randint(330, 340)))
        write(client, table, items)

    def mean_of(self, read: Feed) -> str:
        """Return what the first pages of a list cost on average."""
        behind = None
        with metered() as cost:
            rounds = 0
            for _ in range(PAGES_OF_A_WALK):
                page = read.page(self.size, after=behind)
                assert len(page.items) == self.size
                rounds += page.page.rounds
                behind = page.next
        return f"{cost.units / PAGES_OF_A_WALK:.1f}, {rounds / PAGES_OF_A_WALK:.2f}"


EVEN = tuple([1.0] * 16)
SHAPES = (
    Shape("16, even", EVEN, 50),
    Shape("16, even", EVEN, 100),
    Shape("8, even", EVEN[:8], 20),
    Shape("5: 60, 20, 10, 6 and 4 %", (60, 20, 10, 6, 4), 50),
)


def test_the_table_of_first_reads_is_measured(client, new_table, monkeypatch):
    lines = [
        "| partitions | items of a page | a whole page of each | `Feed` | `Feed` with `shares` |",
        "|---|---:|---|---|---|",
    ]
    for shape in SHAPES:
        table = new_table()
        shape.write(client, table)
        figures = []
        for shares in (None, shape.shares):
            monkeypatch.setattr(feed, "SIZES", MeanSizes())
            figures.append(shape.mean_of(walk_of(shape.names, table, client=client, shares=shares)))
        with monkeypatch.context() as patch:
            patch.setattr(feed, "first_reads_of", lambda needed, of, **_: [needed] * len(of))
            figures.insert(0, shape.mean_of(walk_of(shape.names, table, client=client)))
        lines.append(f"| {shape.words} | {shape.size} | {' | '.join(figures)} |")
    assert table_in(COSTS, "partitions") == lines
