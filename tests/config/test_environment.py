"""The environment's variables as typed values, its packages, and the stored secret key."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import Environment, is_installed, stored_secret_key
from tests.support.project import PROJECT


@pytest.fixture
def read(monkeypatch):
    """Reads a variable: ``read("flag", "maybe")`` is its value and the sentences of problems."""

    def read(method: str, value: str, **options: object) -> tuple[object, list[str]]:
        monkeypatch.setenv("NAME", value)
        environment = Environment()
        found = getattr(environment, method)("NAME", **options)
        return found, [problem.sentence for problem in environment.problems]

    return read


NUMBER = {"default": 20, "least": 1, "most": 100}
DECIMAL = {"default": 6, "least": 0.5, "most": 60}
WORD = {"default": "indexes", "among": ("indexes", "sets")}


class TestAValue:
    @pytest.mark.parametrize(
        ("method", "value", "options", "found"),
        [
            ("text", " value\n", {}, "value"),
            ("text", "  ", {"default": "default"}, "default"),
            *(("flag", value, {}, True) for value in ("1", "true", "YES", " On\n")),
            *(("flag", value, {"default": True}, False) for value in ("0", "false", "NO", "Off")),
            ("flag", "", {"default": True}, True),
            *(("integer", value, NUMBER, int(value)) for value in ("1", "100", " 20 ")),
            ("number", "0.5", DECIMAL, 0.5),
            ("choice", "Sets", WORD, "sets"),
            ("choice", " ", WORD, "indexes"),
            ("words", "a.example, b.example,,", {}, ("a.example", "b.example")),
            ("words", " , ", {"default": ("x",)}, ("x",)),
            ("url", "http://127.0.0.1:8001", {}, "http://127.0.0.1:8001"),
            ("url", "http://[::1]:8001/", {}, "http://[::1]:8001"),
            ("path", "some/folder", {}, Path.cwd() / "some" / "folder"),
            ("path", "", {}, None),
        ],
    )
    def test_is_read(self, read, method, value, options, found):
        assert read(method, value, **options) == (found, [])

    def test_is_the_default_where_it_is_not_set(self):
        assert Environment().text("MISSING", "default") == "default"

    @pytest.mark.parametrize(
        ("method", "value", "options", "problem"),
        [
            ("flag", "maybe", {"default": True}, "'maybe', neither true nor false."),
            *(
                ("integer", value, NUMBER, f"{value}, out of its range.")
                for value in ("0", "101", "-5")
            ),
            *(
                ("integer", value, NUMBER, f"{value!r}, not a whole number.")
                for value in ("many", "1.5", "0x10", "{input}", "9" * 5000)
            ),
            *(
                ("number", value, DECIMAL, f"{value!r}, not a number from 0.5 to 60.")
                for value in ("0.4", "61", "nan", "inf", "soon")
            ),
            ("choice", "tables", WORD, "'tables', not indexes or sets."),
            *(
                ("url", f"{value}", {}, f"'{value}', not the address of a server.")
                for value in ("127.0.0.1:8001", "ftp://127.0.0.1", "http://", "http://host:port",
                              "http://host:99999", "http://[::1", "http://host/path")
            ),
        ],
    )  # fmt: skip
    def test_that_is_wrong_is_told_of_and_counts_as_the_default(
        self, read, method, value, options, problem
    ):
        found = read(method, value, **options)
        assert found == (options.get("default"), [f"NAME is {problem}"])


@pytest.mark.parametrize(
    ("name", "found"), [("AWS_ACCESS_KEY_ID", True), ("AWS_PROFILE", True), ("AWS_REGION", False)]
)
def test_aws_credentials_are_seen_when_a_variable_names_them(monkeypatch, name, found):
    for one in [one for one in os.environ if one.startswith("AWS_")]:
        monkeypatch.delenv(one)
    monkeypatch.setenv(name, "something")
    assert Environment().has_aws_credentials() is found


class TestTheKeptSecretKey:
    def test_is_made_once_for_its_owner_alone(self, tmp_path):
        path = tmp_path / "var" / "secret-key"
        key = stored_secret_key(path)
        assert len(key) >= 50
        assert stored_secret_key(path) == key
        assert path.stat().st_mode & 0o777 == 0o600
        assert list(path.parent.iterdir()) == [path]

    def test_is_the_same_for_all_that_start_together(self, tmp_path):
        source = (
            "import sys; from pathlib import Path\n"
            "from config.environment import stored_secret_key\n"
            "sys.stdin.read(); print(stored_secret_key(Path(sys.argv[1])))"
        )
        command = [sys.executable, "-c", source, str(tmp_path / "secret-key")]
        starters = [
            subprocess.Popen(command, cwd=PROJECT, stdin=-1, stdout=-1, text=True) for _ in range(4)
        ]
        for starter in starters:
            assert starter.stdin
            starter.stdin.close()
        keys = set()
        for starter in starters:
            with starter:
                assert starter.stdout
                keys.add(starter.stdout.read())
        assert len(keys) == 1


class TestAPackage:
    def test_is_installed_when_it_can_be_imported(self):
        assert is_installed("config")
        assert not is_installed("nowhere")

    def test_is_not_here_by_a_folder_that_was_left_behind(self, tmp_path, monkeypatch):
        (tmp_path / "left_behind" / "__pycache__").mkdir(parents=True)
        monkeypatch.syspath_prepend(tmp_path)
        assert not is_installed("left_behind")
