"""The access patterns that the README lists, read from ``access_patterns.toml``."""

import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import django
from django.core.management import get_commands, load_command_class

from config.infrastructure.workbench import rows_of, sample_rows, sample_schemas
from dynamo.items import Item


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


OURS = frozenset({"comments", "config", "demo", "dynamo", "lab", "shop"})
"""The packages whose commands are listed; the others are Django's."""
LONGEST_CELL = 74


def pattern_table() -> str:
    """Return the access patterns as a table in Markdown; its links are relative to the README."""
    titles = ("", "question", "how it is answered", "in the code", "page or command")
    return _table(titles, map(_pattern_row, ALL))


def command_table() -> str:
    """Return the project's own commands, each with the first sentence of its help."""
    _set_up()
    rows = (
        (f"`{name}`", load_command_class(app, name).help.partition(". ")[0].rstrip("."))
        for name, app in sorted(get_commands().items())
        if app.partition(".")[0] in OURS
    )
    return _table(("`manage.py …`", "what it does"), rows)


def shop_table() -> str:
    """Return the table ``shop`` and its indexes, with the keys of the sample rows."""
    _set_up()
    schema, rows = sample_schemas()["shop"], rows_of(sample_rows()["shop"])
    sections = [_rows_by_key("The table", schema.key, rows, note="Every item.")]
    indexes = [("LSI", index) for index in schema.local_indexes]
    indexes += [("GSI", index) for index in schema.global_indexes]
    for kind, index in indexes:
        held = ", ".join(f"`{name}`" for name in index["Projection"]["NonKeyAttributes"])
        title, note = f"`{index['IndexName']}`", f"{kind}. Besides its keys it holds {held}."
        sections.append(_rows_by_key(title, index["KeySchema"], rows, note=note))
    return "\n" + "\n".join(sections)


def _set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def _rows_by_key(
    title: str, key: Sequence[dict[str, str]], rows: Sequence[Item], *, note: str
) -> str:
    names = [part["AttributeName"] for part in key]
    roles = dict(zip(names, ("partition key", "sort key"), strict=True))
    shown = [*names, *(name for name in ("pk", "sk") if name not in names)]
    values = [
        [row[name]["S"] for name in shown] for row in rows if all(name in row for name in names)
    ]
    titles = tuple(f"`{name}` ({roles.get(name, 'table key')})" for name in shown)
    cells = (tuple(map(_cell, line)) for line in sorted(values))
    return f"### {title}\n\n{note}\n{_table(titles, cells)}"


def _cell(text: str) -> str:
    return f"`{text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + '…'}`"


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
