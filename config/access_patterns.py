"""The tables of the README: the access patterns of ``access_patterns.toml``, and the commands."""

import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import django
from django.core.management import get_commands, load_command_class


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentedPattern:
    """A question the site answers; the TOML file describes the fields."""

    number: str
    question: str
    answer: str
    code: str
    reads: Sequence[str]
    seen_at: str = ""

    @property
    def module(self) -> str:
        """The dotted path of the module that ``code`` is in; ``code`` may name a method."""
        return ".".join(part for part in self.code.split(".")[:-1] if part.islower())


ALL = tuple(
    DocumentedPattern(number=number, **row)
    for number, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()
)


OURS = frozenset({"comments", "config", "demo", "dynapages", "lab", "shop"})
"""The packages whose commands are listed; the others are Django's."""


def pattern_table() -> str:
    """Return the access patterns as a table in Markdown; its links are relative to the README."""
    titles = ("", "question", "how it is answered", "in the code", "page or command")
    return markdown_table(titles, map(_pattern_row, ALL))


def command_table() -> str:
    """Return the project's own commands, each with the first sentence of its help."""
    set_up()
    rows = (
        (f"`{name}`", load_command_class(app, name).help.partition(". ")[0].rstrip("."))
        for name, app in sorted(get_commands().items())
        if app.partition(".")[0] in OURS
    )
    return markdown_table(("`manage.py …`", "what it does"), rows)


def set_up() -> None:
    """Load the models, for what runs without ``manage.py``."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def _pattern_row(pattern: DocumentedPattern) -> tuple[str, ...]:
    name = pattern.code.removeprefix(f"{pattern.module}.")
    seen_at = pattern.seen_at.replace("{", "<").replace("}", ">")
    return (
        pattern.number,
        pattern.question,
        pattern.answer,
        f"[`{name}`]({pattern.module.replace('.', '/')}.py)",
        f"`{seen_at}`" if seen_at else "in code only",
    )


def markdown_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows under titles as a table in Markdown."""
    lines = (titles, ("---",) * len(titles), *rows)
    return "\n".join(["", *(f"| {' | '.join(line)} |" for line in lines), ""])
