"""A check of attributes that follow from their item, and from what is read with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dynapages.items import Item
from dynapages.upkeep.integrity import (
    Candidate,
    Difference,
    Handlers,
    Key,
    Show,
    Write,
    compare,
    key_of,
)
from dynapages.writes.transactions import Action


@dataclass(slots=True)
class Derived:
    """Items with texts that follow from the item, and from what ``derive`` reads for it.

    They are those whose keys begin with ``starts``. ``actions`` builds what ``write`` writes, on
    condition that the item is unchanged; none where it cannot be repaired. ``names`` are the
    attributes compared, by default those derived. ``read`` reads an item strongly.
    """

    kind: str
    starts: Key
    subject: Callable[[Item], str]
    derive: Callable[[Item], Mapping[str, str]]
    actions: Callable[[Item, Mapping[str, str]], list[Action]]
    read: Callable[[Key], Item | None]
    write: Write
    names: Sequence[str] = ()
    show: Show = "{} {}".format
    keys_of_wrong_items: list[Key] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.names = tuple(self.names)

    def handlers(self) -> Handlers:
        return {self.starts: self.add}

    def add(self, item: Item) -> None:
        """Note an item that looks wrong."""
        if any(self.differences(item)):
            self.keys_of_wrong_items.append(key_of(item))

    def candidates(self) -> Iterator[Candidate]:
        for key in self.keys_of_wrong_items:
            yield Candidate(partial(self._reread, key))

    def differences(self, item: Item) -> Iterator[Difference]:
        """Compare an item with what it should be."""
        expected = self.derive(item)
        stored = texts_in(item, self.names or expected)

        def repair(_wrong: dict[str, Any]) -> object:
            # All that is derived is written, also what is right.
            actions = self.actions(item, expected)
            return self.write(actions) if actions else False

        subject = self.subject(item)
        yield from compare(self.kind, subject, stored, expected, repair=repair, show=self.show)

    def _reread(self, key: Key) -> Iterator[Difference]:
        item = self.read(key)
        if item:  # it may have been deleted since the Scan
            yield from self.differences(item)


def texts_in(item: Item, names: Iterable[str]) -> dict[str, str]:
    """Return the texts among an item's attributes, of these names."""
    return {name: item[name]["S"] for name in names if name in item}
