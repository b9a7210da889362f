"""Kinds of items, and rows of each for the model of NoSQL Workbench, of what is stored.

The docstrings of `shop.keys`, `comments.keys`, `comments.sets.models` and `shop.activity.entries`
list every kind with its keys, such as ``USER#<name>`` / ``ORDER#<order>``.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

from dynapages.items import Item
from dynapages.writes import SHARDS

_TABLE = re.compile(
    r"^item +partition key ``pk`` +sort key ``sk``\n[= ]+\n(?P<rows>.*?)\n=",
    re.MULTILINE | re.DOTALL,
)
_ROW = re.compile(r"^(?P<name>.+?) {2,}``(?P<pk>[^`]+)`` +``(?P<sk>[^`]+)``$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"<([^>]+)>")
_MOST_BYTES = 24
"""Of a value of bytes, such as compressed figures, a row shows the beginning."""


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


def attributes_of(item: Item) -> set[tuple[str, str]]:
    """Return the attributes of an item with their types, without the cells of a counter."""
    is_counter = "_change" in item
    cells = {name for name, value in item.items() if is_counter and "N" in value} - {SHARDS}
    return {(name, next(iter(value))) for name, value in item.items() if name not in cells}


def write_rows(
    path: Path,
    tables: Mapping[str, Iterable[Item]],
    kinds: Mapping[str, Sequence[ItemKind]],
    *,
    prefix: str,
) -> None:
    """Write a few items of each kind to a file, a row on each line.

    ``prefix`` is that of the tables' names, which is left out.
    """
    seen: set[str] = set()
    written = []
    for table, items in tables.items():
        of_kind: dict[ItemKind, list[Item]] = {kind: [] for kind in kinds[table]}
        for item in items:
            of_kind[kind_of(item, kinds[table])].append(item)
        parts = [
            f'{json.dumps(asdict(kind))[:-1]}, "rows": [\n'
            + ",\n".join(map(_as_json, _few_of_all(some, seen)))
            + "\n]}"
            for kind, some in of_kind.items()
        ]
        written.append(f'"{table}": [\n' + ",\n".join(parts) + "\n]")
    text = "{\n" + ",\n".join(written) + "\n}\n"
    path.write_text(text.replace(prefix, ""), encoding="utf-8")


def _few_of_all(items: Sequence[Item], seen: set[str]) -> list[Item]:
    """Pick items so that each attribute is in one of them, and missing in one if it ever is.

    Of items that are equal in that, those about what was seen before, then the shortest.
    """
    every = set[tuple[str, str]]().union(*map(attributes_of, items))

    def shows(item: Item) -> set[tuple[str, str]]:
        has = attributes_of(item)
        return has | {("without", name) for name, _ in every - has}

    left = set[tuple[str, str]]().union(*map(shows, items))
    picked = list[Item]()
    while left:
        best = max(
            items,
            key=lambda item: (len(left & shows(item)), len(seen & _names(item)), -len(str(item))),
        )
        picked.append(best)
        left -= shows(best)
        seen |= _names(best)
    return picked


def _names(item: Item) -> set[str]:
    """The ids in an item's key."""
    return {*re.findall(r"[\w.@-]{3,}", f"{item['pk']['S']} {item['sk']['S']}")}


def _as_json(item: Item) -> str:
    keys = {name: item[name] for name in ("pk", "sk")}
    hidden = {name: {"S": "…"} for name in ("password", "secret") if name in item}
    ordered = keys | {name: item[name] for name in sorted(item.keys() - keys)} | hidden
    return json.dumps(ordered, default=_beginning, ensure_ascii=False)


def _beginning(value: bytes) -> str:
    """Bytes in base64, as DynamoDB's JSON has them."""
    return b64encode(value[:_MOST_BYTES]).decode()


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
