"""What ``make run`` runs, started for real: its manners at the start, in service and at the end."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dynamo.engine import EngineServer, find
from dynamo.engine.ports import require_free
from tests.support.dynamo.processes import dies, is_alive
from tests.support.ports import spare_port
from tests.support.project import PROJECT

SECONDS = 60

pytestmark = [
    pytest.mark.skipif(find(PROJECT) is None, reason="dynoxide is not installed"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc"),
]


def environment(var: Path, **changes: str) -> dict[str, str]:
    """A new user's: no setting at all, but another place for what the demo keeps."""
    return {"PATH": os.environ["PATH"], "VAR_DIR": str(var), **changes}


@dataclass
class Shop:
    """A running demo."""

    process: subprocess.Popen[str]
    port: int
    var: Path
    opening: list[str]
    """What it said until it was open."""

    def get(self, path: str) -> int:
        """The status of a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request("GET", path)
        try:
            return connection.getresponse().status
        finally:
            connection.close()

    @property
    def note(self) -> dict[str, str]:
        """What it tells other commands about itself."""
        note: dict[str, str] = json.loads((self.var / "demo.json").read_text())
        return note

    def parts(self) -> dict[str, int]:
        """The processes it started, by name."""
        mine = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        names = {}
        for pid in map(int, mine.split()):
            command = Path(f"/proc/{pid}/cmdline").read_text()
            known = [name for name in ("gunicorn", "run_stream") if name in command]
            names[known[0] if known else Path(command.split("\0")[0]).name] = pid
        return names

    def stops_in_order(self, number: signal.Signals) -> None:
        """Send a signal, and wait until all its parts have ended."""
        parts = self.parts()
        self.process.send_signal(number)
        said = self.process.communicate(timeout=SECONDS)[0]
        assert said.split("\n")[-2:] == ["Stopped.", ""]
        assert self.process.returncode == 0
        assert not any(map(is_alive, parts.values()))


def said_until_open(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout
    said = []
    for line in process.stdout:
        said.append(line.rstrip())
        if "Ctrl-C" in line:
            return said
    pytest.fail("it ended before it was open: " + "\n".join(said))


@contextmanager
def opening(var: Path) -> Iterator[Callable[..., Shop]]:
    """Starts demos in a folder, and kills them at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(**changes: str) -> Shop:
        port = spare_port()
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--empty", "--port", str(port)],
            cwd=PROJECT,
            env=environment(var, **changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return Shop(process, port, var, said_until_open(process))

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=SECONDS)


@pytest.fixture
def open_shop(tmp_path: Path) -> Iterator[Callable[..., Shop]]:
    with opening(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A shop that no test stops."""
    with opening(tmp_path_factory.mktemp("shop")) as start:
        yield start()


def run_in_vain(var: Path, *, port: int | None = None, **changes: str) -> str:
    """Start a demo that cannot start; what it said."""
    result = subprocess.run(
        [sys.executable, "manage.py", "demo", "--empty", "--port", str(port or spare_port())],
        cwd=PROJECT,
        env=environment(var, **changes),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.returncode == 1
    return result.stdout + result.stderr


class TestAnOpenShop:
    def test_serves_pages(self, shop: Shop) -> None:
        assert shop.get("/healthz") == 200

    @pytest.mark.parametrize(
        ("part", "sentence"),
        [
            ("dynoxide", "dynoxide ended by signal 9, without a word"),
            ("gunicorn", "The web server ended by itself (exit code -9)."),
        ],
    )
    def test_closes_with_one_line_when_a_part_dies(
        self, open_shop: Callable[..., Shop], part: str, sentence: str
    ) -> None:
        shop = open_shop()
        parts = shop.parts()
        os.kill(parts[part], signal.SIGKILL)
        said, _ = shop.process.communicate(timeout=SECONDS)
        assert said.strip().splitlines()[-1] == sentence
        assert shop.process.returncode == 1
        assert all(map(dies, parts.values()))

    def test_leaves_only_its_data_behind_when_it_is_killed(
        self, open_shop: Callable[..., Shop]
    ) -> None:
        first = open_shop()
        assert "dynashop-comments: creating" in first.opening
        parts = first.parts()
        assert set(parts) == {"dynoxide", "gunicorn"}
        first.process.kill()
        assert all(map(dies, parts.values()))
        first.process.communicate(
            timeout=SECONDS
        )  # its workers had the same output: all have ended
        require_free(first.port)
        second = open_shop()
        assert "dynashop-comments: creating" not in second.opening
        assert "dynashop-comments: active" in second.opening
        second.stops_in_order(signal.SIGINT)
        assert not (second.var / "demo.json").exists()

    def test_is_what_other_commands_mean(self, shop: Shop) -> None:
        show = "from django.conf import settings; print(settings.DYNAMODB_ENDPOINT_URL)"
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", show]
        where = subprocess.check_output(
            command, cwd=PROJECT, env=environment(shop.var), text=True, timeout=SECONDS
        )
        assert where.strip() == shop.note["endpoint_url"]

    def test_leaves_a_database_alone_that_it_did_not_start(
        self, engine: EngineServer, open_shop: Callable[..., Shop]
    ) -> None:
        shop = open_shop(
            DYNAMODB_ENDPOINT_URL=engine.endpoint_url, DYNAMODB_TABLE_PREFIX="elsewhere-"
        )
        assert set(shop.parts()) == {"gunicorn"}
        shop.stops_in_order(signal.SIGHUP)
        engine.check()


class TestAShopThatReadsSets:
    @pytest.fixture
    def shop(self, open_shop: Callable[..., Shop]) -> Shop:
        return open_shop(COMMENTS_READ_MODEL="sets")

    def test_closes_with_one_line_when_the_stream_is_not_read(self, shop: Shop) -> None:
        parts = shop.parts()
        os.kill(parts["run_stream"], signal.SIGKILL)
        said, _ = shop.process.communicate(timeout=SECONDS)
        told = "'manage.py run_stream --verbosity 0' ended by itself (exit code -9)."
        assert said.strip().splitlines()[-1] == told
        assert all(map(dies, parts.values()))

    def test_reads_the_stream_of_what_other_commands_write(self, shop: Shop) -> None:
        assert set(shop.parts()) == {"dynoxide", "gunicorn", "run_stream"}
        row = "7,lamp,en,5,2026-01-01T00:00:00Z,Ann,,Bright"
        file = shop.var / "one.csv"
        file.write_text(f"id,product_id,language,rating,created_at,author,title,body\n{row}\n")
        command = [sys.executable, "manage.py", "import_comments", str(file)]
        subprocess.check_call(command, cwd=PROJECT, env=environment(shop.var), timeout=SECONDS)
        explain = ["explain", "comments", "--product", "lamp", "--ratings", "4,5", "--json"]
        command = [sys.executable, "manage.py", *explain]
        for _ in range(SECONDS):
            said = subprocess.check_output(
                command, cwd=PROJECT, env=environment(shop.var), text=True, timeout=SECONDS
            )
            if json.loads(said)["items_returned"] == 1:
                break
        assert json.loads(said)["queries"][0]["key"] == "PRODUCT#lamp/~/4.5"
        assert json.loads(said)["items_returned"] == 1
        shop.stops_in_order(signal.SIGTERM)


class TestAShopThatCannotOpen:
    def test_says_that_its_port_is_in_use(self, shop: Shop, tmp_path: Path) -> None:
        said = run_in_vain(tmp_path / "other", port=shop.port)
        assert said.strip() == f"Port {shop.port} is already in use on this machine."
        assert not (tmp_path / "other" / "shop.db").exists()

    def test_says_that_it_is_open_already(self, shop: Shop) -> None:
        said = run_in_vain(shop.var)
        assert said.strip() == (
            "The shop of this folder is already running "
            f"at http://127.0.0.1:{shop.port}/ (process {shop.process.pid})."
        )

    def test_says_which_file_is_damaged(self, tmp_path: Path) -> None:
        (tmp_path / "shop.db").write_bytes(b"not a database " * 1000)
        said = run_in_vain(tmp_path)
        assert said.startswith(f"{tmp_path / 'shop.db'} cannot be read")
        assert said.count("\n") == 1

    def test_names_a_wrong_setting(self, tmp_path: Path) -> None:
        said = run_in_vain(tmp_path, DYNAMODB_ENDPOINT_URL="localhost")
        assert said.startswith("CommandError: DYNAMODB_ENDPOINT_URL is 'localhost'")
        assert said.count("\n") == 1

    def test_says_that_its_folder_cannot_be_used(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        said = run_in_vain(tmp_path / "file" / "var")
        assert said.startswith("CommandError: VAR_DIR is ")
        assert said.count("\n") == 1
