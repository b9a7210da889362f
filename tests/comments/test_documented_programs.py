"""The programs of documents that belong to no file of a project.

The gate of docs/moderation.md is run here. `tests/comments/test_signals.py` runs the receiver and
the handler of docs/installing.md, `tests/comments/data/test_python_rows.py` its imports, and
`tests/config/test_migrate_items.py` the step of docs/operations.md. All others name a file, and are
followed with the page that they are on.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from comments.gates import Author, Hold, Publish, Reject
from comments.items import NewComment
from tests.support.comments.truth import START
from tests.support.documented_code import FENCE
from tests.support.project import PROJECT

WITHOUT_A_FILE = {"installing.md": 4, "moderation.md": 1, "operations.md": 1}


def programs_in(document: str) -> list[str]:
    """The Python of a document that names no file."""
    found = FENCE.findall((PROJECT / "docs" / document).read_text())
    return [code for language, file, code in found if language == "python" and not file]


def defined(document: str, name: str) -> Callable[..., Any]:
    """A function of a document's program."""
    (code,) = [code for code in programs_in(document) if f"def {name}(" in code]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the project's own example
    return names[name]


class TestTheGateOfModeration:
    @pytest.fixture
    def gate(self):
        return defined("moderation.md", "gate")

    @pytest.mark.parametrize(
        ("rating", "verified", "body", "verdict"),
        [
            (5, False, "Visit our Casino!", Reject),
            (1, False, "It broke.", Hold),
            (1, True, "It broke.", Publish),
            (5, False, "It works.", Publish),
        ],
    )
    def test_decides_as_its_words_say(self, gate, rating, verified, body, verdict):
        draft = NewComment("1", "42", "en", rating, START, body=body, verified=verified)
        assert type(gate(draft, Author("ada"))) is verdict


def test_no_document_has_another_program_that_names_no_file():
    found = Counter()
    for path in (PROJECT / "docs").rglob("*.md"):
        document = str(path.relative_to(PROJECT / "docs"))
        found[document] = len(programs_in(document))
    assert {name: count for name, count in found.items() if count} == WITHOUT_A_FILE
