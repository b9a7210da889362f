"""The kinds of items in a table, read from the table of keys in a module's docstring.

The docstrings of `shop.keys`, `comments.keys`, `comments.sets.models` and `shop.activity.entries`
list every kind with its keys, such as ``USER#<name>`` / ``ORDER#<order>``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from dynamo.items import Item

_TABLE = re.compile(
    r"^item +partition key ``pk`` +sort key ``sk``\n[= ]+\n(?P<rows>.*?)\n=",
    re.MULTILINE | re.DOTALL,
)
_ROW = re.compile(r"^(?P<name>.+?) {2,}``(?P<pk>[^`]+)`` +``(?P<sk>[^`]+)``$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"<([^>]+)>")


class NoSuchKind(LookupError):
    """The keys of an item are those of no kind."""


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A kind of items; ``pk`` and ``sk`` are its keys, such as ``USER#<name>``."""

    name: str
    pk: str
    sk: str

    @property
    def literal_characters(self) -> int:
        """How much of the keys is the same in all items of this kind."""
        return len(_PLACEHOLDER.sub("", self.pk + self.sk))

    def matches(self, item: Item) -> bool:
        """Return whether an item's keys are of this form; a placeholder has one value in both."""
        keys = f"{item['pk']['S']}\n{item['sk']['S']}"
        return re.fullmatch(_expression(f"{self.pk}\n{self.sk}"), keys) is not None


def kinds_in(module: ModuleType) -> tuple[ItemKind, ...]:
    """Return the kinds that a module's docstring lists. Raises LookupError where it lists none."""
    found = _TABLE.search(module.__doc__ or "")
    if found is None:
        raise LookupError(f"The docstring of {module.__name__} has no table of keys")
    return tuple(ItemKind(**row.groupdict()) for row in _ROW.finditer(found["rows"]))


def kind_of(item: Item, kinds: Sequence[ItemKind]) -> ItemKind:
    """Return the kind of an item: of several the most literal one, or else the first.

    Raises NoSuchKind.
    """
    matching = [kind for kind in kinds if kind.matches(item)]
    if not matching:
        raise NoSuchKind(f"{item['pk']['S']} / {item['sk']['S']}")
    return max(matching, key=lambda kind: kind.literal_characters)


def _expression(keys: str) -> str:
    """Build a regular expression of keys with placeholders; a repeated one is a back reference."""
    seen: set[str] = set()
    built = ""
    for number, part in enumerate(_PLACEHOLDER.split(keys)):
        if number % 2 == 0:
            built += re.escape(part)
        else:
            group = re.sub(r"\W", "_", part)
            built += f"(?P={group})" if group in seen else f"(?P<{group}>.+)"
            seen.add(group)
    return built
