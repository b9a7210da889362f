"""The access patterns that the README lists, read from ``access_patterns.toml``."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DocumentedPattern:
    """A question the site answers; the TOML file describes the fields."""

    number: str
    question: str
    answer: str
    code: str
    reads: tuple[str, ...]
    seen_at: str = ""

    @property
    def module(self) -> str:
        """The dotted path of the module that ``code`` is in; ``code`` may name a method."""
        return ".".join(part for part in self.code.split(".")[:-1] if part.islower())


ALL = tuple(
    DocumentedPattern(number, **{**row, "reads": tuple(row["reads"])})
    for number, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()
)
