"""The tables of the README that are made from code: ``make readme`` brings them up to date."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import django
from django.core.management import get_commands, load_command_class

from config.access_patterns import ALL, AccessPattern

PROJECT = Path(__file__).resolve().parent.parent
README = PROJECT / "README.md"
OURS = frozenset({"comments", "config", "demo", "dynamo", "lab", "shop"})
"""The packages whose commands are listed; the others are Django's."""


class MarksMissing(ValueError):
    """The README has no place for a table."""


def pattern_table(patterns: Iterable[AccessPattern] = ALL) -> str:
    """Give the access patterns as a table in Markdown; its links are relative to the README."""
    titles = ("", "question", "how it is answered", "in the code", "page or command")
    return "\n".join(_table(titles, map(_pattern_row, patterns)))


def command_table() -> str:
    """Give the project's own commands, with the first sentence of what each says of itself."""
    rows = (
        (f"`{name}`", load_command_class(app, name).help.partition(". ")[0].rstrip("."))
        for name, app in sorted(get_commands().items())
        if app.partition(".")[0] in OURS
    )
    return "\n".join(_table(("`manage.py …`", "what it does"), rows))


TABLES: Mapping[str, Callable[[], str]] = {
    "access patterns": pattern_table,
    "commands": command_table,
}


def with_tables(readme: str) -> str:
    """Give the README with the tables of now between their marks. Raises MarksMissing."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}: written by make readme -->", f"<!-- end of {name} -->"
        before, found, rest = readme.partition(begin)
        _, found_end, after = rest.partition(end)
        if not (found and found_end):
            raise MarksMissing(f"The README lacks {begin} or {end}")
        readme = f"{before}{begin}\n\n{table()}\n\n{end}{after}"
    return readme


def module_of(pattern: AccessPattern) -> str:
    """Give the module of a pattern's code, which may be a method."""
    parents = pattern.code.split(".")[:-1]
    return ".".join(part for part in parents if part.islower())


def _pattern_row(pattern: AccessPattern) -> tuple[str, ...]:
    module = module_of(pattern)
    name = pattern.code.removeprefix(f"{module}.")
    return (
        pattern.number,
        pattern.question,
        pattern.answer,
        f"[`{name}`]({module.replace('.', '/')}.py)",
        _spelled(pattern.seen_at) if pattern.seen_at else "in code only",
    )


def _spelled(seen_at: str) -> str:
    return f"`{seen_at.replace('{', '<').replace('}', '>')}`"


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in (titles, ("---",) * len(titles), *rows):
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    README.write_text(with_tables(README.read_text()))
