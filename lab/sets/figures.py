"""The figures of copies; those of one run stand in the documentation, as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from lab.figures import DOCUMENTS

PUBLISHED_COPIES = Path("lab", "copies.json")
PUBLISHED_CHECKS = Path("lab", "checks.json")
"""Below the folder of the documentation."""
WHOLE_COMMENTS, WHOLE_SETS, RECENT = "all of comments", "all of comment_sets", "recent changes"
"""The checks."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What copies take that are stored in a way, on average.

    ``payload_bytes`` is what lists show, compressed or not, and ``item_bytes`` a whole copy.
    ``write_units`` are for the 31 copies of a comment, table and index. ``page_bytes`` and
    ``page_units`` are those of a page. ``stored_bytes`` are billed for all items of a comment.
    """

    way: str
    payload_bytes: float
    item_bytes: float
    write_units: float
    page_bytes: float
    page_units: float
    stored_bytes: float


@dataclass(frozen=True, slots=True)
class Weighed:
    """Comments whose copies were weighed, which ``about`` describes; the first weight is plain."""

    name: str
    about: str
    weights: tuple[Weight, ...]


@dataclass(frozen=True, slots=True)
class Effort:
    """Microseconds of processor time: to pack the copies of a comment, to unpack a page."""

    way: str
    pack: float
    unpack_page: float


@dataclass(frozen=True, slots=True)
class PageTimes:
    """Microseconds of processor time that a page takes of the site: what htmx asks for, and all."""

    fragment: float
    whole_page: float


@dataclass(frozen=True, slots=True)
class CopyFigures:
    """The figures of a run: when and with which Python it was made, and the items of a page."""

    taken_at: str
    python: str
    page_size: int
    weighed: tuple[Weighed, ...]
    efforts: tuple[Effort, ...]
    page_times: PageTimes

    def of_data(self, name: str) -> Weighed:
        """Return what was weighed of some data. Raises KeyError for other data."""
        for weighed in self.weighed:
            if weighed.name == name:
                return weighed
        raise KeyError(name)

    def as_json(self) -> str:
        """Return all figures as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what `as_json` wrote. Raises ValueError, TypeError or KeyError for other JSON."""
        document: dict[str, Any] = json.loads(text)
        document["weighed"] = tuple(_weighed(document["weighed"]))
        document["efforts"] = tuple(Effort(**effort) for effort in document["efforts"])
        document["page_times"] = PageTimes(**document["page_times"])
        return cls(**document)


def _weighed(documents: Sequence[dict[str, Any]]) -> list[Weighed]:
    weighed = []
    for document in documents:
        weights = tuple(Weight(**weight) for weight in document["weights"])
        weighed.append(Weighed(document["name"], document["about"], weights))
    return weighed


@dataclass(frozen=True, slots=True)
class Check:
    """What a check took: calls to DynamoDB and capacity units, and seconds on the lab's engine."""

    name: str
    calls: int
    units: float
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckFigures:
    """The figures of checks, after some changes to a number of comments.

    ``records`` are those that the changes left in the stream, of so many bytes in all.
    """

    taken_at: str
    engine: str
    comments: int
    changes: int
    records: int
    record_bytes: int
    checks: tuple[Check, ...]

    def check(self, name: str) -> Check:
        """Return what a check took. Raises KeyError for another one."""
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    def as_json(self) -> str:
        """Return all figures as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what `as_json` wrote. Raises ValueError, TypeError or KeyError for other JSON."""
        document: dict[str, Any] = json.loads(text)
        document["checks"] = tuple(Check(**check) for check in document["checks"])
        return cls(**document)


def published_copies(folder: Path = DOCUMENTS) -> CopyFigures:
    """Return the figures of the documentation. Raises FileNotFoundError."""
    return CopyFigures.from_json((folder / PUBLISHED_COPIES).read_text(encoding="utf-8"))


def published_checks(folder: Path = DOCUMENTS) -> CheckFigures:
    """Return the figures of the documentation. Raises FileNotFoundError."""
    return CheckFigures.from_json((folder / PUBLISHED_CHECKS).read_text(encoding="utf-8"))
