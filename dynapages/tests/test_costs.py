"""What a page costs, as the README says: measured, and the same for page 1 and page 1,000."""

import re
from pathlib import Path

import pytest

from dynapages import Feed, Index, Tokens, metered

README = Path(__file__).resolve().parents[1] / "README.md"
SIZE, PAGES = 10, 1_000
LISTS = {number: [f"{number} partitions, {n}" for n in range(number)] for number in (1, 2, 8)}
READ_AT_ONCE = 999

pytestmark = pytest.mark.real_engine


@pytest.fixture(scope="module")
def table(client, new_table):
    """A table with one list of each length, an item longer than its thousand pages."""
    name = new_table()
    for partitions in LISTS.values():
        puts = [
            {"PutRequest": {"Item": item(partitions[n % len(partitions)], n)}}
            for n in range(SIZE * PAGES + 1)
        ]
        for start in range(0, len(puts), 25):
            client.batch_write_item(RequestItems={name: puts[start : start + 25]})
    return name


def item(partition: str, n: int) -> dict[str, dict[str, str]]:
    """An item of 200 bytes."""
    key = {"pk": {"S": partition}, "sk": {"S": f"{n:06}"}}
    return {**key, "text": {"S": "x" * (200 - len(partition) - 14)}}


def measured(feed: Feed, **where: str | None) -> str:
    with metered() as cost:
        page = feed.page(SIZE, **where)
    assert len(page.items) == SIZE
    return f"{counted(cost.units, 'unit')}, {counted(cost.rounds, 'round')}"


def counted(number: float, thing: str) -> str:
    return f"{number:g} {thing}{'' if number == 1 else 's'}"


def row(client, table: str, partitions: list[str]) -> str:
    index, tokens = Index(table, partition="pk", sort="sk"), Tokens("a secret of the tests alone")
    feed = Feed(index, partitions, client=client, tokens=tokens, name="costs", newest_first=False)
    behind = None
    for _ in range((PAGES - 1) * SIZE // READ_AT_ONCE):
        behind = feed.page(READ_AT_ONCE, after=behind).next
    deep = feed.page(SIZE, after=behind)
    first, last = measured(feed), measured(feed, after=behind)
    assert deep.items[0]["sk"] == f"{(PAGES - 1) * SIZE:06}"
    return f"| {len(partitions)} | {first} | {last} |"


def test_the_table_of_costs_is_measured(client, table):
    head = "| partitions in the list | page 1 | page 1,000 |\n|---|---|---|"
    rows = [row(client, table, partitions) for partitions in LISTS.values()]
    (told,) = re.findall(
        r"^\| partitions in the list .*\n(?:\|.*\n)+", README.read_text(), re.MULTILINE
    )
    assert told.splitlines() == [*head.splitlines(), *rows]
