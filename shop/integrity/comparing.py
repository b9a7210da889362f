"""Comparison of stored items with what they should be, and the writes that mend them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pynamodb.attributes import Attribute

from dynamo.calls.client import client
from dynamo.items import Item, table_key
from dynamo.upkeep.differences import difference, differing
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import Action, delete, unchanged, update
from dynamo.writes.transactions import write_together
from shop.catalogue.edge_keys import MOST_SHARDS, shard_in
from shop.models import ProductEdge, ShopItem
from shop.table import EDGES, Key, key_of, put_of, read_items, set_or_remove

PARTITION = ProductEdge.data_partition.attr_name
COMPARED = ("name", "unit_price_cents", "currency", "category", "trail", PARTITION, "data")
"""What lists show of the catalogue and what keys are derived from; items may hold more."""
Sides = tuple[dict[str, Any], dict[str, Any]]
"""What is stored and what should be, where the two differ."""


@dataclass(slots=True)
class IndexKeys:
    """Compares index keys with those ``derive`` gives for an item and a number of shards.

    The keys follow from the attributes ``source``. ``order_in`` returns the id of the order that
    a difference names; ``beside`` returns actions that a correction needs besides. Keeps the table
    keys of suspects alone, because there are many items.
    """

    kind: str
    model: type[ShopItem]
    names: tuple[str, ...]
    source: tuple[Attribute[Any], ...]
    derive: Callable[[Item, int], dict[str, str]]
    order_in: Callable[[Item], str]
    beside: Callable[[Item, Mapping[str, str]], list[Action]] = lambda _item, _expected: []
    suspects: list[Key] = field(default_factory=list)

    def take(self, item: Item) -> None:
        """Note an item whose keys look wrong."""
        if not self.is_right(item, self.derive(item, 1)):
            self.suspects.append(key_of(item))

    def is_right(self, item: Item, expected: Mapping[str, str]) -> bool:
        """Return whether an item has the expected keys, in whatever shard."""
        return not any(self._sides(item, expected))

    def differences(
        self, write: Callable[[list[Action]], None], *, shards: int = 1
    ) -> Iterator[Difference]:
        """Read the suspects again and yield those with wrong keys; ``write`` mends them."""
        for key in self.suspects:
            item = read_items([key]).get(key)
            if item is not None and (actions := self.changes(item, shards=shards)):
                wrong, right = self._sides(item, self.derive(item, shards))
                subject = f"order {self.order_in(item)}"
                yield difference(self.kind, subject, wrong, right, repair=partial(write, actions))

    def changes(self, item: Item, *, shards: int = 1) -> list[Action]:
        """Build the actions that correct an item's keys, none where they are right."""
        expected = self.derive(item, shards)
        if self.is_right(item, expected):
            return []
        changes = set_or_remove(self.model, self.names, expected)
        same = unchanged(item, *self.source)
        correction = update(self.model, table_key(*key_of(item)), changes, same)
        return [correction, *self.beside(item, expected)]

    def _sides(self, item: Item, expected: Mapping[str, str]) -> Sides:
        stored = {name: item[name]["S"] for name in self.names if name in item}
        return _in_any_shard(stored, expected)


def wrong_in(stored: Item | None, expected: ShopItem | None) -> Sides:
    """Return where an item differs from what it should be; None stands for no item."""
    if stored is None or expected is None:
        return differing(_presence(stored), _presence(expected))
    return _in_any_shard(_values(stored), _values(expected.serialize()))


def put_or_delete(key: Key, expected: ShopItem | None) -> Action:
    """Build the action that makes an item what it should be; None stands for no item."""
    return delete(ShopItem, table_key(*key)) if expected is None else put_of(expected)


def write(actions: list[Action]) -> None:
    """Write the actions that mend a difference, all or nothing."""
    write_together(client(), actions)


def write_to_shards(actions: list[Action]) -> None:
    """Write like `write`, after telling readers of every shard of ``by_data`` in use."""
    EDGES.writable()
    write(actions)


def too_few_shards(
    subject: str, stored: int, needed: int, raise_to: Callable[[int], None]
) -> Iterator[Difference]:
    """Yield a difference when items are in more shards than readers read."""
    if stored < needed:
        sides = {"number": stored}, {"number": needed}
        yield difference("shards", subject, *sides, repair=partial(raise_to, needed))


def _in_any_shard(stored: Mapping[str, str], expected: Mapping[str, str]) -> Sides:
    """Compare values; an entry of ``by_data`` is right in any shard that there can be."""
    partition, wanted = stored.get(PARTITION, ""), expected.get(PARTITION, "")
    shard = min(shard_in(partition), MOST_SHARDS - 1)
    if wanted and partition == f"{wanted.rpartition('#')[0]}#{shard}":
        expected = {**expected, PARTITION: partition}
    return differing(stored, expected)


def _presence(item: object) -> dict[str, str]:
    return {"item": "none" if item is None else "there"}


def _values(item: Item) -> dict[str, str]:
    return {name: _plain(item[name]) for name in COMPARED if name in item}


def _plain(value: Mapping[str, Any]) -> str:
    ((kind, content),) = value.items()
    if kind == "L":
        return spelled((step["M"]["slug"]["S"], step["M"]["name"]["S"]) for step in content)
    return str(content)


def spelled(steps: Iterable[tuple[str, str]]) -> str:
    """Format the slugs and names on the way to a category or product."""
    return "/".join(f"{slug}:{name}" for slug, name in steps)
