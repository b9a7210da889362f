"""What `.ci/audit` ends with, and what `.ci/run` makes of it: with stand-ins for what asks."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT

NO_FAULT, FAULT, NOT_AUDITED = 0, 1, 3
PYTHON = """#!/bin/sh
# Stands in for 'python3 -m venv FOLDER'.
mkdir -p "$3/bin"
cp "$STAND_INS"/pip "$STAND_INS"/pip-audit "$STAND_INS"/cyclonedx-py "$3/bin"
"""
PIP = """#!/bin/sh
exit "${PIP_CODE:-0}"
"""
PIP_AUDIT = """#!/bin/sh
# Its first option is --requirement FILE.
[ "$2" = "$AUDITED_ALONE" ] || [ -z "$AUDITED_ALONE" ] || { echo '{"dependencies": []}'; exit; }
printf %s "${PYTHON_ANSWER-{\\"dependencies\\": []\\}}"
echo "the index is away" >&2
exit "${PYTHON_CODE:-0}"
"""
SBOM = """#!/bin/sh
exit "${SBOM_CODE:-0}"
"""
NPM = """#!/bin/sh
printf %s "${NPM_ANSWER-{\\"auditReportVersion\\": 2\\}}"
exit "${NPM_CODE:-0}"
"""
STAND_INS = {
    "python3": PYTHON,
    "pip": PIP,
    "pip-audit": PIP_AUDIT,
    "cyclonedx-py": SBOM,
    "npm": NPM,
}
UNKNOWN = '{"name": "django", "skip_reason": "not found"}'
FAULTY = '{"name": "boto3", "vulns": [{"id": "CVE-1"}]}'
"""Packages in the answer of pip-audit."""


@dataclass(frozen=True)
class Project:
    """A copy of what the audit needs, with stand-ins for the programs that ask."""

    folder: Path
    programs: Path

    def run(self, command: str, **answers: str) -> subprocess.CompletedProcess[str]:
        """Run a command of bash where the programs answer like this."""
        path = f"{self.programs}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={"PATH": path, "STAND_INS": str(self.programs), **answers},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def audit(self, **answers: str) -> subprocess.CompletedProcess[str]:
        return self.run(".ci/audit audit", **answers)

    def audit_in_ci(self, **answers: str) -> subprocess.CompletedProcess[str]:
        """Run the step of `.ci/run` alone, and what it ends with."""
        return self.run(". .ci/steps; beside audit audit; await audit; finish", **answers)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / ".ci").mkdir(parents=True)
    for name in ("audit", "steps"):
        shutil.copy(PROJECT / ".ci" / name, folder / ".ci" / name)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in STAND_INS.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return Project(folder, programs)


class TestAnAudit:
    def test_of_packages_without_a_known_fault_ends_with_0(self, project):
        ended = project.audit()
        assert ended.returncode == NO_FAULT, ended.stderr
        audited = ended.stdout.splitlines()
        assert "audited: no known fault in lab/requirements.txt" in audited
        assert "audited: no known fault in package-lock.json" in audited
        typescript = "tests/config/api/typescript/package-lock.json"
        assert f"audited: no known fault in {typescript}" in audited
        assert "not audited" not in ended.stdout

    def test_that_finds_a_fault_of_a_python_package_ends_with_1(self, project):
        answer = f'{{"dependencies": [{FAULTY}]}}'
        ended = project.audit(PYTHON_ANSWER=answer, PYTHON_CODE="1")
        assert ended.returncode == FAULT
        assert "CVE-1" in ended.stdout
        assert "audited: known faults in requirements.txt" in ended.stdout

    def test_that_finds_a_fault_among_unknown_packages_ends_with_1_and_names_both(self, project):
        answer = f'{{"dependencies": [{FAULTY}, {UNKNOWN}]}}'
        ended = project.audit(PYTHON_ANSWER=answer, PYTHON_CODE="1")
        assert ended.returncode == FAULT
        assert "audited: known faults in requirements.txt" in ended.stdout
        assert "not audited: 1 packages of requirements.txt are not known" in ended.stdout

    def test_that_finds_a_fault_of_a_package_of_npm_ends_with_1(self, project):
        ended = project.audit(NPM_CODE="1")
        assert ended.returncode == FAULT
        assert "audited: known faults in package-lock.json" in ended.stdout

    def test_that_cannot_write_the_sbom_ends_with_1(self, project):
        assert project.audit(SBOM_CODE="1").returncode == FAULT

    @pytest.mark.parametrize(
        ("answers", "sentence"),
        [
            (
                {"PIP_CODE": "1"},
                "not audited: what is installed with Python: pip-audit could not be installed",
            ),
            (
                {"PYTHON_ANSWER": "", "PYTHON_CODE": "1"},
                "not audited: requirements.txt: the index is away",
            ),
            (
                {"PYTHON_ANSWER": f'{{"dependencies": [{UNKNOWN}]}}'},
                "not audited: 1 packages of requirements.txt are not known",
            ),
            (
                {"NPM_ANSWER": '{"message": "405 Method Not Allowed"}', "NPM_CODE": "1"},
                "not audited: package-lock.json: npm has no answer",
            ),
        ],
        ids=["no pip-audit", "no index", "unknown packages", "no registry of npm"],
    )
    def test_that_could_not_ask_ends_with_3_and_says_so(self, project, answers, sentence):
        ended = project.audit(**answers)
        assert ended.returncode == NOT_AUDITED
        assert sentence in ended.stdout

    def test_where_pip_audit_cannot_be_installed_asks_npm(self, project):
        ended = project.audit(PIP_CODE="1", NPM_CODE="1")
        assert ended.returncode == FAULT
        assert "audited: known faults in package-lock.json" in ended.stdout

    def test_that_could_ask_for_one_file_only_does_not_end_as_a_clean_one(self, project):
        ended = project.audit(PYTHON_ANSWER="", PYTHON_CODE="1", AUDITED_ALONE="requirements.txt")
        assert ended.returncode == NOT_AUDITED
        assert "audited: no known fault in lab/requirements.txt" in ended.stdout

    def test_explains_its_exit_codes(self, project):
        explained = project.run(".ci/audit --help").stdout
        for code in (NO_FAULT, FAULT, NOT_AUDITED):
            assert f"\n    {code}  " in explained


class TestTheRunForAChange:
    def test_warns_at_its_end_of_an_audit_that_could_not_ask(self, project):
        ended = project.audit_in_ci(PYTHON_ANSWER="", PYTHON_CODE="1")
        assert ended.returncode == 0, ended.stdout
        end = ended.stdout.partition("── tests")[2]
        assert "\nnot audited: requirements.txt: the index is away\n" in end
        assert "\nWARNING: " in end

    def test_fails_by_a_known_fault(self, project):
        ended = project.audit_in_ci(NPM_CODE="1")
        assert ended.returncode == 1
        assert "failed: audit" in ended.stdout
        assert "WARNING" not in ended.stdout

    def test_passes_without_a_word_of_warning_where_no_fault_is_known(self, project):
        ended = project.audit_in_ci()
        assert ended.returncode == 0
        assert "WARNING" not in ended.stdout

    def test_runs_the_audit(self):
        assert "\nbeside audit audit\n" in (PROJECT / ".ci" / "run").read_text()
