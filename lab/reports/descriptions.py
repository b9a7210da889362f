"""The designs in words, from ``descriptions.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

ANY_MODEL = "any"


@dataclass(frozen=True, slots=True)
class Description:
    """A design's title, three sentences, and its page below ``docs/designs``, if it has one.

    ``used_by`` is the read model of the site that has it, or ``any`` of them; empty where none has.
    """

    title: str
    text: str
    document: str = ""
    used_by: str = ""

    @property
    def is_used_here(self) -> bool:
        """Whether this shop reads its lists so."""
        return self.used_by in {ANY_MODEL, settings.COMMENTS_READ_MODEL}


@dataclass(frozen=True, slots=True)
class SubjectDescription:
    """What is compared: a heading, the question, and the designs by their names."""

    heading: str
    question: str
    designs: Mapping[str, Description]


def _read() -> dict[str, SubjectDescription]:
    found = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        name: SubjectDescription(
            subject["heading"],
            subject["question"],
            {design: Description(**words) for design, words in subject["designs"].items()},
        )
        for name, subject in found.items()
    }


DESCRIPTIONS: Mapping[str, SubjectDescription] = _read()
"""By the names of the subjects that are measured."""
