"""Clients that generators of others make from the schema: they are typed, and they work."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from config.api import api
from dynapages.django.callers import Scope
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import someone
from tests.support.config.api import program_of
from tests.support.orders.making import put_product

FLOWS = Path(__file__).parent
TYPESCRIPT = FLOWS / "typescript"
PYTHON = FLOWS / "python"
PROGRAMS = TYPESCRIPT / "node_modules" / ".bin"
pytestmark = [pytest.mark.usefixtures("tables", "wide_limits"), pytest.mark.slow]


def has_typescript() -> bool:
    return shutil.which("node") is not None and PROGRAMS.is_dir()


def run(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder; its output is text."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def copy_with(flow: Path, name: str, *, right: str, wrong: str) -> str:
    """Write a copy of a flow that sends something wrong; return its name."""
    text = flow.read_text()
    assert right in text
    flow.with_name(name).write_text(text.replace(right, wrong))
    return name


def files_with_errors(checked: subprocess.CompletedProcess[str]) -> set[str]:
    """The files that a check of types has found errors in."""
    return set(re.findall(r"^([\w.]+)[(:]\d+.*\berror\b", checked.stdout, re.MULTILINE))


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """A file with the schema that the site serves."""
    path = tmp_path_factory.mktemp("schema") / "openapi.json"
    path.write_text(json.dumps(api.get_openapi_schema()))
    return path


@pytest.fixture
def lamp(fresh):
    """A product that is sold, with more comments of five stars than one page has."""
    product_id = put_product(fresh("lamp"))
    comments = numbered_comments(product_id, count=25, languages=("en",))
    load([replace(comment, rating=5) for comment in comments])
    return product_id


@pytest.fixture
def key():
    return program_of(someone("anna").username, Scope.WRITE).text


@pytest.mark.skipif(
    not has_typescript(), reason="TypeScript is not installed (make install-typescript)"
)
class TestAFlowInTypeScript:
    @pytest.fixture
    def project(self, schema, tmp_path):
        """A folder with the flow, and the types that openapi-typescript makes of the schema."""
        for name in ("flow.ts", "package.json", "tsconfig.json"):
            shutil.copy(TYPESCRIPT / name, tmp_path)
        (tmp_path / "node_modules").symlink_to(TYPESCRIPT / "node_modules")
        made = run(PROGRAMS / "openapi-typescript", schema, "-o", "schema.d.ts", folder=tmp_path)
        assert (made.returncode, made.stderr) == (0, "")
        return tmp_path

    def test_is_typed_by_the_schema_and_does_what_it_says(self, project, address, key, lamp):
        checked = run(PROGRAMS / "tsc", "--strict", folder=project)
        assert checked.returncode == 0, checked.stdout
        ended = run("node", "flow.js", address, key, lamp, folder=project)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout) == {
            "listed": [20, 5],
            "posted_once": True,
            "edited": [[4, 2], [3, 3]],
            "refused": ["comment-changed"],
            "votes": 1,
            "total": "39.98",
        }

    def test_with_a_field_that_the_schema_has_not_is_refused(self, project):
        flow = project / "flow.ts"
        wrong = {
            copy_with(flow, "type.ts", right="rating: 5", wrong='rating: "5"'),
            copy_with(flow, "name.ts", right='text: "It', wrong='txt: "It'),
            copy_with(flow, "code.ts", right="comment-changed", wrong="comment-change"),
        }
        options = json.loads((project / "tsconfig.json").read_text())
        options["files"] = ["flow.ts", *wrong]
        (project / "tsconfig.json").write_text(json.dumps(options))
        checked = run(PROGRAMS / "tsc", "--strict", "--noEmit", folder=project)
        assert files_with_errors(checked) == wrong


@pytest.mark.skipif(
    not find_spec("openapi_python_client"),
    reason="openapi-python-client is not installed (requirements-checks.txt)",
)
class TestAFlowInPython:
    @pytest.fixture
    def project(self, schema, tmp_path):
        """A folder with the flow, and the package that is made of the schema."""
        made = run(
            *(sys.executable, "-m", "openapi_python_client", "generate", "--path", schema),
            *("--config", PYTHON / "generator.yaml", "--fail-on-warning"),
            *("--meta", "none", "--output-path", "shop_client"),
            folder=tmp_path,
        )
        assert made.returncode == 0, made.stderr
        assert "arning" not in made.stdout + made.stderr
        shutil.copy(PYTHON / "flow.py", tmp_path)
        return tmp_path

    def check(self, project, *files):
        # What mypy knows of this checkout is of other options.
        options = ("--config-file=", "--strict", "--cache-dir", project / "mypy")
        return run(sys.executable, "-m", "mypy", *options, *files, folder=project)

    def test_is_typed_by_the_schema_and_does_what_it_says(self, project, address, key, lamp):
        checked = self.check(project, "shop_client", "flow.py")
        assert checked.returncode == 0, checked.stdout
        ended = run(sys.executable, "flow.py", address, key, lamp, folder=project)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout) == {
            "listed": 20,
            "posted_once": True,
            "edited": [4, 2],
            "refused": "comment-changed",
            "there_now": [4, 2],
        }

    def test_with_a_field_that_the_schema_has_not_is_refused(self, project):
        flow = project / "flow.py"
        wrong = {
            copy_with(flow, "type_flow.py", right="rating=5", wrong='rating="5"'),
            copy_with(flow, "name_flow.py", right='text="It', wrong='txt="It'),
        }
        checked = self.check(project, "flow.py", *wrong)
        assert files_with_errors(checked) == wrong
