"""What several checks share: numbers of shards, keys in the index, reading and writing one item."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR
from dynapages.process import write_actions
from dynapages.upkeep import Candidate, Difference, Handlers, compare, repair_once
from dynapages.writes import Action, delete
from shop.catalogue.items import MOST_SHARDS, shard_in
from shop.models import ProductEdge, ShopItem
from shop.table import Key, put_of, read_items

PARTITION = ProductEdge.data_partition.attr_name
"""The attribute that has the partition key in ``by_data``."""


@dataclass(slots=True)
class ShardNumber:
    """The number of shards that readers read, which must hold all that items are in.

    ``shard_in`` returns the shard of an item, or None. ``number`` is known with the candidates.
    """

    subject: str
    starts: Key
    shard_in: Callable[[Item], int | None]
    count: Callable[[], int]
    raise_to: Callable[[int], object]
    least: int = 1
    needed: int = 1
    number: int = 1

    def handlers(self) -> Handlers:
        return {self.starts: self.add}

    def add(self, item: Item) -> None:
        """Note the shard that an item is in."""
        shard = self.shard_in(item)
        if shard is not None:
            self.needed = max(self.needed, shard + 1)

    def candidates(self) -> Iterator[Candidate]:
        yield Candidate(self._reread)

    def _reread(self) -> Iterator[Difference]:
        """Compare the stored number with the shards in use, and set ``number``."""
        stored = self.count()
        # Later checks put items into the shards that there will be after the repair.
        self.number = max(stored, self.needed, self.least)
        if stored < self.needed:
            yield from compare(
                "shards",
                self.subject,
                {"number": stored},
                {"number": self.needed},
                repair=self._repair,
            )

    def _repair(self, expected: dict[str, Any]) -> object:
        """Raise the stored number to what is needed."""
        return self.raise_to(expected["number"])


def in_stored_shard(stored: Mapping[str, str], expected: Mapping[str, str]) -> Mapping[str, str]:
    """Return the expected keys in the shard of those stored, if there can be such a shard.

    An entry of ``by_data`` is right in any.
    """
    stored_partition = stored.get(PARTITION, "")
    expected_partition = expected.get(PARTITION, "")
    if not expected_partition:
        return expected
    shard = min(shard_in(stored_partition), MOST_SHARDS - 1)
    without_shard = expected_partition.rpartition(SEPARATOR)[0]
    if stored_partition == f"{without_shard}{SEPARATOR}{shard}":
        return {**expected, PARTITION: stored_partition}
    return expected


def put_or_delete(key: Key, expected: ShopItem | None) -> Action:
    """Build the action that makes an item what it should be; None stands for no item."""
    if expected is None:
        return delete(ShopItem, table_key(*key))
    return put_of(expected)


def difference_of_presence(
    kind: str, subject: str, *, is_there: bool, is_expected: bool, actions: list[Action]
) -> Difference:
    """Build the difference of an item that is missing, another one's, or too many.

    ``actions`` repair it, on condition that nothing has changed that it follows from.
    """
    return Difference(
        kind,
        subject,
        "there" if is_there else "none",
        "there" if is_expected else "none",
        repair=partial(repair_once, write_actions, actions),
    )


def read_item(key: Key) -> Item | None:
    """Read an item by its key, strongly; None where there is none."""
    return read_items([key]).get(key)
