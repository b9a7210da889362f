"""The environment's variables as typed values, the kept secret key, and the running demo's note."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import (
    Environment,
    RunningDemo,
    announced,
    find_demo,
    kept_secret_key,
    note_path,
)
from dynamo.engine.server import FileLock
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


class TestText:
    def test_is_the_default_when_unset_or_blank(self, read):
        assert Environment().text("MISSING", "default") == "default"
        assert read("text", "  ", default="default") == ("default", [])

    def test_has_no_blanks_around_it(self, read):
        assert read("text", " value\n") == ("value", [])


class TestAFlag:
    @pytest.mark.parametrize("value", ["1", "true", "YES", "On", " 1\n"])
    def test_is_true_for_the_usual_words(self, read, value):
        assert read("flag", value) == (True, [])

    @pytest.mark.parametrize("value", ["0", "false", "NO", "Off"])
    def test_is_false_for_the_usual_words(self, read, value):
        assert read("flag", value, default=True) == (False, [])

    def test_is_the_default_for_another_word_and_a_blank(self, read):
        problem = "NAME is 'maybe', neither true nor false."
        assert read("flag", "maybe", default=True) == (True, [problem])
        assert read("flag", "", default=True) == (True, [])


class TestAnInteger:
    @pytest.mark.parametrize("value", ["1", "100", " 20 "])
    def test_may_be_at_both_ends_of_its_range(self, read, value):
        assert read("integer", value, default=7, least=1, most=100) == (int(value), [])

    @pytest.mark.parametrize(
        ("value", "problem"),
        [
            *((value, f"{value}, out of its range.") for value in ("0", "101", "-5")),
            *(
                (value, f"{value!r}, not a whole number.")
                for value in ("many", "1.5", "0x10", "{input}", "9" * 5000)
            ),
        ],
    )
    def test_is_the_default_for_anything_else(self, read, value, problem):
        found = read("integer", value, default=20, least=1, most=100)
        assert found == (20, [f"NAME is {problem}"])


class TestANumber:
    def test_may_have_decimals(self, read):
        assert read("number", "0.5", default=6, least=0.5, most=60) == (0.5, [])

    @pytest.mark.parametrize("value", ["0.4", "61", "nan", "inf", "soon"])
    def test_is_the_default_for_anything_else(self, read, value):
        found = read("number", value, default=6, least=0.5, most=60)
        assert found == (6, [f"NAME is {value!r}, not a number from 0.5 to 60."])


class TestAChoice:
    @pytest.mark.parametrize(
        ("value", "found"),
        [
            ("Sets", ("sets", [])),
            (" ", ("indexes", [])),
            ("tables", ("indexes", ["NAME is 'tables', not indexes or sets."])),
        ],
    )
    def test_is_one_of_the_words_however_it_is_capitalised(self, read, value, found):
        assert read("choice", value, default="indexes", among=("indexes", "sets")) == found


class TestWords:
    def test_are_what_is_between_commas(self, read):
        assert read("words", "a.example, b.example,,") == (("a.example", "b.example"), [])
        assert read("words", " , ", default=("x",)) == (("x",), [])


class TestAUrl:
    @pytest.mark.parametrize(
        "value", ["http://127.0.0.1:8001", "https://dynamodb.example.com", "http://[::1]:8001/"]
    )
    def test_is_the_address_of_a_server(self, read, value):
        assert read("url", value) == (value.rstrip("/"), [])

    @pytest.mark.parametrize(
        "value",
        [
            "127.0.0.1:8001",
            "ftp://127.0.0.1",
            "http://",
            "http://host:port",
            "http://host:99999",
            "http://[::1",
            "http://host/path",
        ],
    )
    def test_is_none_for_anything_else(self, read, value):
        assert read("url", value) == (None, [f"NAME is {value!r}, not the address of a server."])


class TestAPath:
    def test_is_absolute(self, read):
        found = Path.cwd() / "some" / "folder"
        assert read("path", "some/folder") == (found, [])
        assert read("path", "") == (None, [])


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
        key = kept_secret_key(path)
        assert len(key) >= 50
        assert kept_secret_key(path) == key
        assert path.stat().st_mode & 0o777 == 0o600
        assert list(path.parent.iterdir()) == [path]

    def test_is_the_same_for_all_that_start_together(self, tmp_path):
        source = (
            "import sys; from pathlib import Path; from config.environment import kept_secret_key;"
            "sys.stdin.read(); print(kept_secret_key(Path(sys.argv[1])))"
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


DEMO = RunningDemo(
    endpoint_url="http://127.0.0.1:8001",
    table_prefix="shop-",
    region="eu-west-1",
    port=8000,
    sign_in=["alex", "sam", "open"],
)


class TestTheRunningDemo:
    def test_is_found_until_it_stops(self, tmp_path):
        with FileLock(note_path(tmp_path)), announced(DEMO, var=tmp_path):
            assert find_demo(tmp_path) == DEMO
            assert DEMO.pid == os.getpid()
        assert find_demo(tmp_path) is None

    def test_is_none_that_was_killed_and_could_not_take_its_note_away(self, tmp_path):
        with announced(DEMO, var=tmp_path):
            assert note_path(tmp_path).exists()
            assert find_demo(tmp_path) is None

    def test_is_none_that_is_just_starting(self, tmp_path):
        with FileLock(note_path(tmp_path)):
            assert find_demo(tmp_path) is None

    def test_is_none_where_there_never_was_one(self, tmp_path):
        assert find_demo(tmp_path / "nowhere") is None
