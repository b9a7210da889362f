"""Random lists merged of runs, with the plain sorted answer that a reader must agree with.

Moments are few, so that most items share theirs with others; ids hold what sorts before and
behind the separator, and characters of two to four bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from dynapages.calls.pool import Pool
from dynapages.items import Item, id_at, sort_key_of, timestamp
from dynapages.lists.queries import QuerySource
from dynapages.lists.reader import Order, Page, PageRequest, Toward, read_page
from dynapages.lists.runs import Index, OneOf, Ordinal, Position, Run
from dynapages_testing.query_model import QueryModel
from dynapages_testing.strict import Request

START = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
MOMENTS = [START + timedelta(microseconds=n) for n in range(5)]
STRETCHES = [
    ("A", ""),
    ("B", ""),
    ("C", "SHIPPED#"),
    ("C", "SHIPPED!"),
    ("C", "SHIPPEDX#"),
    ("C", "DELIVERED#"),
    ("D", "OPEN#"),
]
POOL = Pool(3)


def table_key(position: Position) -> dict[str, str]:
    return {"pk": f"OWNER#{position.rest}", "sk": f"THING#{id_at(position.place)}"}


def owner(item: Item) -> str:
    found: str = item["pk"]["S"].removeprefix("OWNER#")
    return found


def owner_at(place: str) -> str:
    """Keep one owner for each id: two items at one place would have no order."""
    return "alex" if len(id_at(place)) % 2 else "sam"


INDEX = Index(
    table="things",
    name="by_kind",
    partition="p",
    sort="s",
    table_key=table_key,
    rest_of=owner,
)


@dataclass(frozen=True)
class Thing:
    partition: str
    prefix: str
    place: str
    owner: str = ""
    kind: str = "red"

    def item(self) -> Item:
        key = table_key(Position(self.place, self.owner))
        named = {**key, "p": self.partition, "s": self.prefix + self.place, "kind": self.kind}
        return {name: {"S": value} for name, value in named.items()}

    def position(self, ordinal: Ordinal | None = None, *, inclusive: bool = False) -> Position:
        return Position(self.place, self.owner, ordinal, inclusive)

    def is_in(self, run: Run) -> bool:
        return (
            (self.partition, self.prefix) == (run.partition, run.prefix)
            and (run.since is None or run.since <= self.place)
            and (run.until is None or self.place < run.until)
            and all({"S": self.kind} in one_of.values for one_of in run.keep)
        )


@dataclass
class MergedList:
    """The things that ``runs`` hold, in order; ``cut`` ends reads early.

    Reads are charged by the ``bytes_of`` their items.
    """

    runs: list[Run]
    things: list[Thing] = field(default_factory=list)
    cut: Callable[[Request], int | None] = lambda _request: None
    requests: list[Request] = field(default_factory=list)
    bytes_of: Callable[[Item], int] = lambda _item: 1
    most_empty: int = 1
    """How many pages a walk may have beside one for each thing."""

    def places(self, order: Order) -> list[str]:
        """Return the items of all runs, sorted."""
        found = [t.place for t in self.things if any(t.is_in(run) for run in self.runs)]
        return sorted(found, reverse=order is Order.NEWEST_FIRST)

    def model(self) -> QueryModel:
        return QueryModel(
            indexes={"by_kind": ("p", "s")},
            items=[thing.item() for thing in self.things],
            cut=self.cut,
            requests=self.requests,
            bytes_of=self.bytes_of,
        )

    def read(self, request: PageRequest, order: Order, *, client: Any = None, **how: Any) -> Page:
        """Read a page of the things in memory, or from a client's tables."""
        source = QuerySource(client or self.model())
        return read_page(self.runs, request, source=source, pool=POOL, order=order, **how)

    def walk(self, request: PageRequest, order: Order, **how: Any) -> Iterator[Page]:
        """Turn pages in the direction of the first request until there is no further one."""
        ever: set[str] = set()  # whatever was there at any time: the list may change on the way
        for pages in count():
            ever.update(thing.place for thing in self.things)
            if pages > len(ever) + self.most_empty:
                break
            page = self.read(request, order, **how)
            yield page
            onward = request.toward is Toward.NEXT
            edge = page.next_position if onward else page.previous_position
            if edge is None:
                return
            request = replace(request, position=edge)
        message = "the walk does not end"
        raise AssertionError(message)

    def places_from(self, request: PageRequest, order: Order, **how: Any) -> list[str]:
        """Return the places of all pages from a request on, in the list's order."""
        return places_of(list(self.walk(request, order, **how)))

    def require_ways_back(
        self, request: PageRequest, order: Order, whole: list[str], **how: Any
    ) -> None:
        """Walk through a list, and from each page back: that shows what the walk did, once.

        A page has a way back where something was shown; ``whole`` is the list that does not change.
        """
        walked: list[Page] = []
        for page in self.walk(request, order, **how):
            self.requests.clear()
            back, shown = way_back(page, request), places_of(walked)
            assert (back is not None) is bool(shown)
            if back is not None:
                returned = list(self.walk(back, order))
                assert places_of(returned) == shown
                require_numbers(returned, whole)
            walked.append(page)
        assert places_of(walked) == whole
        require_numbers(walked, whole)


def way_back(page: Page, request: PageRequest) -> PageRequest | None:
    """What the link asks for that leads from a page to where its request came from."""
    if request.toward is Toward.NEXT:
        position, toward = page.previous_position, Toward.PREVIOUS
        assert (position is not None) is page.has_previous
    else:
        position, toward = page.next_position, Toward.NEXT
        assert (position is not None) is page.has_next
    return replace(request, position=position, toward=toward) if position else None


def require_numbers(pages: Sequence[Page], whole: list[str]) -> None:
    """Require the numbers of pages to be those in the list, from its beginning or its end."""
    for entry in (entry for page in pages for entry in page.entries):
        at = whole.index(entry.position.place)
        assert entry.position.ordinal in (
            Ordinal(at + 1),
            Ordinal(len(whole) - at, from_front=False),
        )


def places(page: Page) -> list[str]:
    return [entry.position.place for entry in page.entries]


def places_of(walked: Sequence[Page]) -> list[str]:
    """Return the places of the pages of a walk, in either direction, in the list's order."""
    in_order = walked[::-1] if walked and walked[0].toward is Toward.PREVIOUS else walked
    return [place for page in in_order for place in places(page)]


orders = st.sampled_from(Order)
sizes = st.integers(1, 8)
_ids = st.text("a#!~é𝄞", min_size=1, max_size=4)
bounds = st.sampled_from([timestamp(moment) for moment in MOMENTS])
all_places = st.builds(sort_key_of, st.sampled_from(MOMENTS), _ids)
everything: st.SearchStrategy[tuple[OneOf, ...]] = st.just(())
positions = st.builds(
    lambda place, inclusive: Position(place, owner_at(place), inclusive=inclusive),
    all_places | bounds,
    st.booleans(),
)


@st.composite
def things(draw: st.DrawFn, *, at_most: int = 30) -> list[Thing]:
    """Draw things anywhere, in runs and beside them; no two with one id."""
    thing = st.builds(
        lambda stretch, place, kind: Thing(*stretch, place, owner_at(place), kind),
        st.sampled_from(STRETCHES),
        all_places,
        st.sampled_from(["red", "red", "blue", "green"]),
    )
    at_least = draw(st.sampled_from([0, at_most // 2]))  # short lists alone would seldom be merged
    return draw(
        st.lists(thing, min_size=at_least, max_size=at_most, unique_by=lambda t: id_at(t.place))
    )


@st.composite
def runs(
    draw: st.DrawFn,
    edges_at: st.SearchStrategy[str] = bounds,
    kept: st.SearchStrategy[tuple[OneOf, ...]] = everything,
) -> list[Run]:
    """Draw runs that do not overlap: stretches, some of them cut to slices, some slices missing."""
    found: list[Run] = []
    for partition, prefix in draw(st.lists(st.sampled_from(STRETCHES), unique=True, max_size=7)):
        edges = [None, *sorted(draw(st.lists(edges_at, max_size=3))), None]
        keep = draw(kept)
        slices = [
            Run(INDEX, partition, prefix, since, until, keep=keep)
            for since, until in pairwise(edges)
        ]
        some = st.lists(st.sampled_from(slices), unique_by=id, min_size=1)
        found += draw(st.just(slices) | some)
    return found


@st.composite
def merged_lists(draw: st.DrawFn) -> MergedList:
    """Draw a list whose reads are whole, and whose bounds are between items."""
    return MergedList(draw(runs()), draw(things()))


@st.composite
def hostile_lists(draw: st.DrawFn) -> MergedList:
    """Draw a list whose reads are cut and filtered, and whose bounds may be items themselves."""
    found = draw(things())
    at_things = st.sampled_from([thing.place for thing in found]) if found else bounds
    kept = st.sampled_from([(), only("red"), only("red", "blue"), only("blue") + only("red")])
    return MergedList(draw(runs(at_things | bounds, kept)), found, draw(cuts))


def only(*kinds: str) -> tuple[OneOf, ...]:
    return (OneOf("kind", tuple({"S": kind} for kind in kinds)),)


def split(run: Run, at: str) -> list[Run]:
    """Split a run in two at ``at``, where that lies within it."""
    if (run.since or "") < at and (run.until is None or at < run.until):
        return [replace(run, until=at), replace(run, since=at)]
    return [replace(run)]


def _cut_by(seed: int) -> Callable[[Request], int]:
    """Cut each read at one to four items; equal requests are cut equally, whoever comes first."""

    def cut(request: Request) -> int:
        asked = [request["ExpressionAttributeValues"], request.get("ExclusiveStartKey"), seed]
        return crc32(repr(asked).encode()) % 4 + 1

    return cut


cuts = st.builds(_cut_by, st.integers(0, 1000))


def _weighed_by(seed: int, largest: int) -> Callable[[Item], int]:
    """Return a function that gives each item a size of its own, up to ``largest`` bytes."""
    return lambda item: crc32(f"{seed}{item['pk']}{item['sk']}{item['s']}".encode()) % largest + 1


def sizes_up_to(largest: int) -> st.SearchStrategy[Callable[[Item], int]]:
    """Draw sizes in bytes: all items as large as they may be, or each of its own."""
    return st.just(lambda _item: largest) | st.builds(
        _weighed_by, st.integers(0, 1000), st.just(largest)
    )
