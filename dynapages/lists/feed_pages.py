"""A page of a feed: its items, and the strings of the pages around it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from dynapages.calls.meter import Meter, quantity
from dynapages.lists.explain import Explanation, explain, with_counting
from dynapages.lists.reader import Page, PageRequest

if TYPE_CHECKING:
    from dynapages.lists.feed import Feed

T = TypeVar("T")

START = "start"
"""What the first page is behind, in place of a token."""
END = "end"
"""What the last page is before, in place of a token."""


@dataclass(frozen=True, slots=True)
class FeedPage(Generic[T]):
    """A page of a feed: its ``items``, and the strings of the pages around it.

    A string is None where there is no such page: ``first`` on the first page, ``last`` on the last.
    They raise ValueError if the feed has no tokens. ``total`` is how many items the list has, where
    the feed counts them, and ``counting`` are the calls that this took.
    """

    feed: "Feed[T]"
    items: tuple[T, ...]
    page: Page
    request: PageRequest
    total: int | None = None
    counting: Meter | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        # Not the items, which may be large.
        items = quantity(len(self.items), "item", "items")
        return f"<FeedPage of {items} of {self.feed!r}>"

    @property
    def has_next(self) -> bool:
        """Whether an item behind the page was read, or the page was read back from a token.

        Not where that token was behind the last item.
        """
        return self.page.has_next

    @property
    def has_previous(self) -> bool:
        """Whether an item before the page was read, or the page was read on from a token.

        Not where that token was in front of the first item.
        """
        return self.page.has_previous

    @property
    def next(self) -> str | None:
        """The string of the next page, for ``after=``."""
        self.feed.signed()
        position = self.page.next_position
        return self.feed.token_of(position) if position else None

    @property
    def previous(self) -> str | None:
        """The string of the previous page, for ``before=``."""
        self.feed.signed()
        position = self.page.previous_position
        return self.feed.token_of(position) if position else None

    @property
    def first(self) -> str | None:
        """The string of the first page, for ``after=``."""
        self.feed.signed()
        return START if self.has_previous else None

    @property
    def last(self) -> str | None:
        """The string of the last page, for ``before=``."""
        self.feed.signed()
        return END if self.has_next else None

    def cursor(self, item: object) -> str:
        """Return the string of an item of the page, for ``after=`` or ``before=``.

        Raises ValueError for an item that is not on the page, or is there more than once because
        ``parse`` returned one object for several.
        """
        positions = []
        for entry, own_item in zip(self.page.entries, self.items, strict=True):
            if own_item is item:
                positions.append(entry.position)
        if len(positions) != 1:
            raise ValueError(
                f"The item is on this page {len(positions)} times, not once: it has no cursor"
            )
        return self.feed.token_of(positions[0])

    def explain(self) -> Explanation:
        """Return how the page was read, what its Queries cost, and what counting the list took.

        What a function of ``shares`` reads is counted by `metered` alone.
        """
        index = self.feed.index
        explanation = explain(self.page, plan=self.feed.name or index.name or index.table)
        if self.counting is None:
            return explanation
        return with_counting(explanation, self.counting)
