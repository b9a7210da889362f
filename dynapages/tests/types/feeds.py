"""What type checkers know of a feed: its items, its pages, and the items of these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_type

import boto3

from dynapages import Feed, FeedPage, Index, Run, Tokens, cost, metered
from dynapages.items import Item
from dynapages.lists import Chunk, Position

INDEX = Index("notes", "by_team", partition="team", sort="at", table_key=("id",))
TOKENS = Tokens("a secret of this site alone")

client = boto3.client("dynamodb")


@dataclass(frozen=True)
class Note:
    """A note, as a program has it."""

    id: str
    title: str


def note_of(item: Item) -> Note:
    """Return the note that an item is."""
    return Note(id=item["id"]["S"], title=item["title"]["S"])


# Items are dicts of Python values, items of botocore, or what `parse` returns.
plain = Feed(INDEX, ["red", "blue"], client=client, tokens=TOKENS)
assert_type(plain, Feed[dict[str, Any]])
assert_type(plain.page(20).items, tuple[dict[str, Any], ...])

on_the_wire = Feed(INDEX, ["red"], client=client, wire=True)
assert_type(on_the_wire, Feed[Mapping[str, Mapping[str, Any]]])

notes = Feed(INDEX, [["red", "blue"], ["green"]], client=client, parse=note_of)
assert_type(notes, Feed[Note])

titles = Feed(INDEX, ["red"], client=client, parse=lambda item: str(item["title"]["S"]))
assert_type(titles, Feed[str])

counts = {"red": 60, "blue": 20}
counted = Feed(INDEX, ["red", "blue"], client=client, shares=counts, total=lambda: 80)
assert_type(counted, Feed[dict[str, Any]])
assert_type(counted.page(20).total, int | None)


def counts_of(teams: Sequence[str]) -> dict[str, int]:
    """Return how many notes each team has."""
    return dict.fromkeys(teams, 20)


Feed(INDEX, ["red", "blue"], client=client, shares=counts_of)

numbered = Feed(INDEX, (year for year in (2025, 2026)), client=client)
assert_type(numbered, Feed[dict[str, Any]])

# Of several attributes a partition is a tuple of values, of any types.
BY_STATUS = Index(
    "events", "by_status", partition=("tenant", "status"), sort=("level", "at"), table_key=("id",)
)
assert_type(Feed(BY_STATUS, [("acme", "open")], client=client), Feed[dict[str, Any]])
Feed(BY_STATUS, {("acme", 1), ("acme", 2)}, client=client, begins_with=("high",))
Feed(BY_STATUS, [[("acme", "open")], [("acme", "held")]], client=client)
Feed(BY_STATUS, (("acme", status) for status in ("open", "held")), client=client)
Feed(BY_STATUS, [("acme", "open")], client=client, shares={("acme", "open"): 60})


def counts_by_status(partitions: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Return how many events each partition has."""
    return dict.fromkeys(partitions, 20)


Feed(BY_STATUS, [("acme", "open")], client=client, shares=counts_by_status)
Run(BY_STATUS, ("acme", 1), ("high",), since=5)


class InMemory:
    """A source of a program's own, which has nothing."""

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        """Return what is read of a run."""
        return Chunk((), None, 0, capacity_units=0.0)


assert_type(Feed(INDEX, ["red"], source=InMemory(), parse=note_of), Feed[Note])


# Pages
def titles_on_page(after: str | None) -> list[str]:
    """Return the titles of a page of notes."""
    page = notes.page(20, after=after)
    assert_type(page, FeedPage[Note])
    assert_type(page.items, tuple[Note, ...])
    assert_type(page.next, str | None)
    assert_type(page.cursor(page.items[0]), str)
    return [note.title for note in page.items]


def count_all() -> int:
    """Return how many notes there are, and print what they cost."""
    total = 0
    with metered() as meter, cost(at_most=2.0, rounds=1):
        for note in notes:
            assert_type(note, Note)
            total += 1
    assert_type(meter.units, float)
    assert_type(meter.rounds, int)
    return total


async def ids_awaited() -> list[str]:
    """Return the ids of a page and of all notes, by a client that is awaited."""
    page = await notes.apage(20)
    assert_type(page, FeedPage[Note])
    return [note.id for note in page.items] + [note.id async for note in notes]
