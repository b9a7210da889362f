"""The figures of designs of keys; those of one run stand in the documentation, as JSON."""

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from lab.figures import DOCUMENTS, Question, Reading
from lab.native_keys.byte_prices import Stored

PUBLISHED_KEYS = Path("lab", "keys.json")
"""Below the folder of the documentation."""


@dataclass(frozen=True, slots=True)
class KeyWriting:
    """What one kind of write takes, on average; see `lab.native_keys.byte_prices.WritePrice`.

    ``list_keys`` are those of the ``attributes`` that put a comment into lists.
    """

    action: str
    list_keys: float
    attributes: float
    entries_put: float
    entries_changed: float
    entries_deleted: float
    units: float


@dataclass(frozen=True, slots=True)
class ListPrice:
    """What an item of a list takes in the overloaded index, and in an index of the list alone.

    The bytes are those of its entry, the units those of its item and its entry: to put it, and to
    change its text; 0 where nobody can.
    """

    index: str
    name: str
    entry_bytes: int
    own_bytes: int
    put_units: int
    own_put_units: int
    text_units: int
    own_text_units: int


@dataclass(frozen=True, slots=True)
class IndexNumbers:
    """How many indexes a table has, and how many attributes these name in their projections."""

    indexes: int
    projected: int


@dataclass(frozen=True, slots=True)
class KeyDesignFigures:
    """What a design of keys stores, and what its reads and writes take."""

    name: str
    stored: Stored
    readings: tuple[Reading, ...]
    writings: tuple[KeyWriting, ...]

    def of_question(self, question: str) -> list[Reading]:
        """Return the readings of a list's pages, the first page first."""
        return [reading for reading in self.readings if reading.question == question]


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """The figures of a run: when and on which engine it was made, on what, and of what pages.

    ``lists`` are those of the overloaded indexes; ``indexes`` are counted as they are, and with an
    index for each of these lists.
    """

    taken_at: str
    engine: str
    page_size: int
    data: str
    questions: tuple[Question, ...]
    designs: tuple[KeyDesignFigures, ...]
    lists: tuple[ListPrice, ...]
    indexes: IndexNumbers
    indexes_with_own: IndexNumbers

    def as_json(self) -> str:
        """Return all figures as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what `as_json` wrote. Raises ValueError, TypeError or KeyError for other JSON."""
        document: dict[str, Any] = json.loads(text)
        document["questions"] = tuple(Question(**one) for one in document["questions"])
        document["designs"] = tuple(_design(one) for one in document["designs"])
        document["lists"] = tuple(ListPrice(**one) for one in document["lists"])
        for name in ("indexes", "indexes_with_own"):
            document[name] = IndexNumbers(**document[name])
        return cls(**document)


def _design(document: dict[str, Any]) -> KeyDesignFigures:
    return KeyDesignFigures(
        name=document["name"],
        stored=Stored(**document["stored"]),
        readings=tuple(Reading(**reading) for reading in document["readings"]),
        writings=tuple(KeyWriting(**writing) for writing in document["writings"]),
    )


@cache
def find_published_keys() -> KeyFigures:
    """Return the figures of the documentation. Raises FileNotFoundError without it."""
    return KeyFigures.from_json((DOCUMENTS / PUBLISHED_KEYS).read_text(encoding="utf-8"))
