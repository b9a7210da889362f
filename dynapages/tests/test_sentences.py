"""The sentences of the library's core: programs that have nothing of Django show them as well."""

from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[1]
OF_DJANGO = {"django", "drf.py", "ninja"}
NOT_THE_LIBRARY = {"examples", "tests"}
READ_THE_ENVIRONMENT = {"__main__.py", "engine/command.py", "engine/pytest_plugin.py"}
"""They take the address of an engine from it, or tell a shell to set it, and say so."""


def core_files() -> list[str]:
    """Return the paths of the core's modules."""
    paths = []
    for path in sorted(LIBRARY.rglob("*.py")):
        relative = path.relative_to(LIBRARY)
        if relative.parts[0] not in OF_DJANGO | NOT_THE_LIBRARY:
            paths.append(relative.as_posix())
    return paths


class TestTheCore:
    def test_is_looked_through(self):
        assert {"calls/faults.py", "streams/walk.py", "tables.py"} <= set(core_files())

    @pytest.mark.parametrize("path", core_files())
    def test_names_no_command_of_django(self, path):
        text = (LIBRARY / path).read_text()
        assert "manage.py" not in text
        assert "create_tables" not in text

    @pytest.mark.parametrize("path", sorted(set(core_files()) - READ_THE_ENVIRONMENT))
    def test_names_no_setting_of_django(self, path):
        assert "DYNAMODB_" not in (LIBRARY / path).read_text()
