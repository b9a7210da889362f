"""Tables of the documents: the access patterns of ``access_patterns.toml``, commands, the API."""

import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
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
    brief: str = ""
    key: str = ""

    @property
    def article(self) -> str:
        """The letters of its first number, which say who asks."""
        return self.number.split()[0].rstrip("0123456789")

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


def pattern_table(article: str) -> str:
    """Return an article's access patterns as a table in Markdown, for a document in docs/."""
    titles = ("", "question", "how it is answered", "in the code", "page or command")
    return markdown_table(titles, (_pattern_row(one) for one in ALL if one.article == article))


def brief_table() -> str:
    """Return the access patterns that have a ``brief``: the table of the README."""
    rows = ((one.brief, one.key, _seen_at(one)) for one in ALL if one.brief)
    return markdown_table(("question", "key", "page"), rows)


def command_table() -> str:
    """Return the project's own commands, each with the first sentence of its help."""
    set_up()
    rows = (
        (f"`{name}`", load_command_class(app, name).help.partition(". ")[0].rstrip("."))
        for name, app in sorted(get_commands().items())
        if app.partition(".")[0] in OURS
    )
    return markdown_table(("`manage.py …`", "what it does"), rows)


def operation_table(app: str) -> str:
    """Return the operations of an app's part of the API, each with the scope that it needs."""
    set_up()
    rows = (
        (
            f"`{operation.methods[0]} {path.replace('{path:', '{')}`",
            "" if isinstance(operation.auth_param, list) else f"`{operation.auth_param.scope}`",
            str(operation.description).partition("\n")[0].replace("``", "`").rstrip("."),
        )
        for path, view in import_module(f"{app}.api").router.path_operations.items()
        for operation in view.operations
    )
    return markdown_table(("operation", "key", "what it does"), rows)


def set_up() -> None:
    """Load the models, for what runs without ``manage.py``."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def _pattern_row(pattern: DocumentedPattern) -> tuple[str, ...]:
    name = pattern.code.removeprefix(f"{pattern.module}.")
    return (
        pattern.number,
        pattern.question,
        pattern.answer,
        f"[`{name}`](../{pattern.module.replace('.', '/')}.py)",
        _seen_at(pattern) or "in code only",
    )


def _seen_at(pattern: DocumentedPattern) -> str:
    address = pattern.seen_at.replace("{", "<").replace("}", ">")
    return f"`{address}`" if address else ""


def markdown_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows under titles as a table in Markdown."""
    lines = (titles, ("---",) * len(titles), *rows)
    return "\n".join(["", *(f"| {' | '.join(line)} |" for line in lines), ""])
