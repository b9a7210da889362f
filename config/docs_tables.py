"""Tables of the documents, which ``make readme`` writes: access patterns, commands, API, events.

The access patterns are the rows of ``access_patterns.toml``; the model for NoSQL Workbench names
them too.
"""

import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import django
from django.core.management import get_commands, load_command_class

PATTERNS_FILE = Path(__file__).with_name("access_patterns.toml")
OWN_PACKAGES = frozenset({"comments", "config", "demo", "dynapages", "lab", "shop"})
"""The packages whose commands are listed; the others are Django's."""


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
    native: str = ""

    @property
    def article(self) -> str:
        """The letters of its first number, which say what article asks it."""
        return self.number.split()[0].rstrip("0123456789")

    @property
    def module(self) -> str:
        """The dotted path of the module that ``code`` is in; ``code`` may name a method."""
        parents = self.code.split(".")[:-1]
        return ".".join(name for name in parents if name.islower())


def _read_patterns() -> Iterator[DocumentedPattern]:
    for number, row in tomllib.loads(PATTERNS_FILE.read_text()).items():
        yield DocumentedPattern(number=number, **row)


PATTERNS = tuple(_read_patterns())


def load_models() -> None:
    """Set Django up, for what runs without ``manage.py``."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def markdown_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows under titles as a table in Markdown."""
    rule = ("---",) * len(titles)
    lines = [f"| {' | '.join(cells)} |" for cells in (titles, rule, *rows)]
    return "\n".join(["", *lines, ""])


# Access patterns


def pattern_table(article: str) -> str:
    """Return an article's access patterns as a table in Markdown, for a document in docs/."""
    titles = ("", "question", "how it is answered", "in the code", "page or command")
    rows = []
    for pattern in PATTERNS:
        if pattern.article == article:
            rows.append(_pattern_row(pattern))
    return markdown_table(titles, rows)


def brief_table() -> str:
    """Return the access patterns that have a ``brief``: the table of the README."""
    rows = []
    for pattern in PATTERNS:
        if pattern.brief:
            rows.append((pattern.brief, pattern.key, _address(pattern)))
    return markdown_table(("question", "key", "page"), rows)


def native_table() -> str:
    """Return the questions of `brief_table`, each with its key as it is, and as a native one."""
    rows = []
    for pattern in PATTERNS:
        if pattern.brief:
            rows.append((pattern.brief, pattern.key, pattern.native))
    return markdown_table(("question", "key", "key of several attributes"), rows)


def _pattern_row(pattern: DocumentedPattern) -> tuple[str, ...]:
    name = pattern.code.removeprefix(f"{pattern.module}.")
    path = pattern.module.replace(".", "/")
    return (
        pattern.number,
        pattern.question,
        pattern.answer,
        f"[`{name}`](../{path}.py)",
        _address(pattern) or "in code only",
    )


def _address(pattern: DocumentedPattern) -> str:
    """Return where a pattern is seen, as Markdown; its placeholders in angle brackets."""
    if not pattern.seen_at:
        return ""
    address = pattern.seen_at.replace("{", "<").replace("}", ">")
    return f"`{address}`"


# Commands, events of webhooks, and the operations and problems of the API


def command_table() -> str:
    """Return the project's own commands, each with the first sentence of its help."""
    load_models()
    return markdown_table(("`manage.py …`", "what it does"), _command_rows())


def _command_rows() -> Iterator[tuple[str, str]]:
    for name, app in sorted(get_commands().items()):
        if app.partition(".")[0] in OWN_PACKAGES:
            first_sentence = load_command_class(app, name).help.partition(". ")[0]
            yield f"`{name}`", first_sentence.rstrip(".")


def event_table() -> str:
    """Return the events that webhooks can be told of, each with its meaning."""
    load_models()
    meanings = import_module("shop.webhooks.events").MEANINGS
    rows = [(f"`{name}`", str(meaning)) for name, meaning in meanings.items()]
    return markdown_table(("type", "when"), rows)


def operation_table(app: str) -> str:
    """Return the operations of an app's part of the API, each with the scope that it needs."""
    load_models()
    return markdown_table(("operation", "key", "what it does"), _operation_rows(app))


def _operation_rows(app: str) -> Iterator[tuple[str, str, str]]:
    for path, view in import_module(f"{app}.api").router.path_operations.items():
        address = path.replace("{path:", "{")
        for operation in view.operations:
            scope = ""
            # An operation without a key of its own has a list here, of those of the whole API.
            if not isinstance(operation.auth_param, list):
                scope = f"`{operation.auth_param.scope}`"
            first_line = str(operation.description).partition("\n")[0]
            sentence = first_line.replace("``", "`").rstrip(".")
            yield f"`{operation.methods[0]} {address}`", scope, sentence


def problem_table() -> str:
    """Return the problems that the API answers with, each with an anchor named by its code."""
    load_models()
    rows = []
    for kind in import_module("config.api").api.problem_types:
        # The address that a problem has as its type leads there.
        code = f'<a id="{kind.code}"></a>`{kind.code}`'
        rows.append((code, str(kind.status.value), kind.meaning))
    return markdown_table(("code", "status", "when"), rows)
