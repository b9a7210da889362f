"""The workflows of .github do what .ci/run does, on the Pythons that the library supports."""

import re
import tomllib

import pytest

from tests.support.project import PROJECT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (requirements-checks.txt)")

FOLDER = PROJECT / ".github" / "workflows"
NAMES = ["ci.yml", "release.yml"]
WORKFLOWS = {name: yaml.safe_load((FOLDER / name).read_text()) for name in NAMES}
CHANGE = WORKFLOWS["ci.yml"]
RELEASE = WORKFLOWS["release.yml"]
FIRST_JOBS = {"ci.yml": CHANGE["jobs"]["run"], "release.yml": RELEASE["jobs"]["build"]}


def commands(job) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.fixture(params=NAMES)
def first_job(request):
    return FIRST_JOBS[request.param]


class TestEachWorkflow:
    def test_runs_what_a_change_must_pass_and_builds_what_is_published(self, first_job):
        ran = commands(first_job)
        assert ran[ran.index(".ci/run") + 1] == ".ci/package --build dist"

    def test_has_each_python_that_is_supported_with_the_oldest_as_python3(self, first_job):
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        supported = [one.split(" :: ")[-1] for one in project["classifiers"]]
        steps = (step for step in first_job["steps"] if "setup-python" in str(step))
        (brought,) = (step["with"]["python-version"] for step in steps)
        assert brought.split() == [one for one in reversed(supported) if re.match(r"3\.\d", one)]

    def test_keeps_no_token_of_the_checkout(self, first_job):
        assert first_job["steps"][0]["with"] == {"persist-credentials": False}

    @pytest.mark.parametrize("name", NAMES)
    def test_pins_each_action_by_its_commit(self, name):
        used = re.findall(r"uses: (.*)", (FOLDER / name).read_text())
        assert used
        assert [one for one in used if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", one)] == []


class TestTheWorkflowOfAChange:
    def test_may_only_read(self):
        assert CHANGE["permissions"] == {"contents": "read"}
        assert "permissions" not in CHANGE["jobs"]["run"]


class TestTheWorkflowOfARelease:
    def test_may_do_nothing_but_what_a_job_needs(self):
        assert RELEASE["permissions"] == {}
        permissions = {name: job["permissions"] for name, job in RELEASE["jobs"].items()}
        assert permissions == {
            "build": {"contents": "read"},
            "publish": {"id-token": "write"},
            "site": {"id-token": "write", "pages": "write"},
        }

    def test_publishes_for_a_tag_alone(self):
        assert RELEASE[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads "on" as true

    def test_looks_for_obstacles_before_anything_is_published(self):
        assert any(
            line.startswith("python3 .ci/release.py")
            for line in commands(FIRST_JOBS["release.yml"])
        )
        assert RELEASE["jobs"]["publish"]["needs"] == "build"
        assert RELEASE["jobs"]["site"]["needs"] == "publish"

    def test_publishes_each_distribution_from_an_environment_of_its_own_with_attestations(self):
        job = RELEASE["jobs"]["publish"]
        names = [one["name"] for one in job["strategy"]["matrix"]["include"]]
        assert names == ["dynapages", "dynapages-comments"]
        assert job["environment"] == "${{ matrix.name }}"
        assert job["steps"][-1]["with"]["attestations"] is True

    def test_says_that_it_has_never_run(self):
        assert "It has never run" in (FOLDER / "release.yml").read_text()
