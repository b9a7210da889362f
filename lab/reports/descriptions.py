"""The designs in words: what is compared, and what each design is, costs, and is right for."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

ENGLISH = "en"
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


@lru_cache(maxsize=8)
def describe_subjects(language: str = ENGLISH) -> Mapping[str, SubjectDescription]:
    """Return all descriptions in a language, by the names of the subjects that are measured.

    They are a template, ``lab/designs.txt``, because that is where gettext finds sentences.
    """
    with override(language):
        found = tomllib.loads(render_to_string("lab/designs.txt"))
    return {
        name: SubjectDescription(
            one["heading"],
            one["question"],
            {design: Description(**about) for design, about in one["designs"].items()},
        )
        for name, one in found.items()
    }


def anchor_of(name: str) -> str:
    """Return a subject's or design's name as file names and anchors have it."""
    return name.replace(" ", "-")
