"""The workflow of .github does what .ci/run does, on the Pythons that the library supports."""

import re
import tomllib

import pytest

from tests.support.project import PROJECT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (requirements-checks.txt)")

TEXT = (PROJECT / ".github" / "workflows" / "ci.yml").read_text()
WORKFLOW = yaml.safe_load(TEXT)
STEPS = WORKFLOW["jobs"]["run"]["steps"]


class TestTheWorkflow:
    def test_runs_what_a_change_must_pass_and_builds_the_library(self):
        runs = [step["run"] for step in STEPS if "run" in step]
        assert runs[-2:] == [".ci/run", ".ci/package --build dist"]

    def test_has_each_python_that_the_library_supports_with_the_oldest_as_python3(self):
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        supported = [one.split(" :: ")[-1] for one in project["classifiers"]]
        (brought,) = (s["with"]["python-version"] for s in STEPS if "setup-python" in str(s))
        assert brought.split() == [one for one in reversed(supported) if re.match(r"3\.\d", one)]

    def test_may_only_read_and_keeps_no_token(self):
        assert WORKFLOW["permissions"] == {"contents": "read"}
        assert "permissions" not in WORKFLOW["jobs"]["run"]
        assert STEPS[0]["with"] == {"persist-credentials": False}

    def test_pins_each_action_by_its_commit(self):
        used = re.findall(r"uses: (.*)", TEXT)
        assert used
        assert [one for one in used if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", one)] == []
