"""The tables of the README that are made from code; ``make readme`` writes them there with cog."""

import os
from collections.abc import Iterable

import django
from django.core.management import get_commands, load_command_class

from config.access_patterns import ALL, DocumentedPattern

OURS = frozenset({"comments", "config", "demo", "dynamo", "lab", "shop"})
"""The packages whose commands are listed; the others are Django's."""


def pattern_table() -> str:
    """Return the access patterns as a table in Markdown; its links are relative to the README."""
    titles = ("", "question", "how it is answered", "in the code", "page or command")
    return _table(titles, map(_pattern_row, ALL))


def command_table() -> str:
    """Return the project's own commands, each with the first sentence of its help."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    rows = (
        (f"`{name}`", load_command_class(app, name).help.partition(". ")[0].rstrip("."))
        for name, app in sorted(get_commands().items())
        if app.partition(".")[0] in OURS
    )
    return _table(("`manage.py …`", "what it does"), rows)


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


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (titles, ("---",) * len(titles), *rows)
    return "\n".join(["", *(f"| {' | '.join(line)} |" for line in lines), ""])
