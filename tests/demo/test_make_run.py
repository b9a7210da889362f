"""What ``make run`` runs, started for real: its manners at the start, in service and at the end.

Starting it takes seconds: a shop lives through several things.
How its parts end together is in test_processes.py, with a web server that starts in a moment.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dynapages.engine.child import require_free
from dynapages.engine.server import find_dynoxide
from dynapages_testing.processes import dies, is_alive
from tests.support.config.environments import run_python
from tests.support.ports import spare_port
from tests.support.project import PROJECT

SECONDS = 60

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_dynoxide(PROJECT) is None, reason="dynoxide is not installed"),
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

    def parts(self) -> dict[str, int]:
        """The processes it started, by name."""
        mine = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        names = {}
        for pid in map(int, mine.split()):
            command = Path(f"/proc/{pid}/cmdline").read_text()
            known = [name for name in ("gunicorn", "run_stream") if name in command]
            names[known[0] if known else Path(command.split("\0")[0]).name] = pid
        return names

    def manage(self, *command: str) -> str:
        """What another command prints, which has no setting but the folder."""
        return run_python("manage.py", *command, **environment(self.var)).stdout

    def said_at_the_end(self) -> list[str]:
        """The lines it says until it and all that had its output have ended."""
        return self.process.communicate(timeout=SECONDS)[0].strip().splitlines()


def said_until_open(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout
    said = []
    for line in process.stdout:
        said.append(line.rstrip())
        if "Ctrl-C" in line:
            return said
    pytest.fail("it ended before it was open: " + "\n".join(said))


@contextmanager
def opened(var: Path, **changes: str) -> Iterator[Shop]:
    """A demo in a folder, which is killed at the end if it still runs."""
    port = spare_port()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--empty", "--port", str(port)],
        cwd=PROJECT,
        env=environment(var, **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Shop(process, port, var, said_until_open(process))
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A shop that was killed; the processes that it had started."""
    with opened(tmp_path_factory.mktemp("shop")) as shop:
        assert shop.get("/healthz") == 200
        show = "from django.conf import settings; print(settings.DYNAMODB_ENDPOINT_URL)"
        noted = json.loads((shop.var / "demo.json").read_text())["endpoint_url"]
        assert shop.manage("shell", "--no-imports", "-c", show).strip() == noted
        parts = shop.parts()
        shop.process.kill()
        shop.said_at_the_end()
    return shop, parts


class TestAShop:
    def test_is_a_database_and_a_web_server(self, killed):
        _, parts = killed
        assert set(parts) == {"dynoxide", "gunicorn"}

    def test_says_what_it_does_and_where_it_is(self, killed):
        shop, _ = killed
        assert [line.strip() for line in shop.opening if "http://127.0.0.1" not in line] == [
            "Starting the database, dynoxide (about 3 s)",
            "Starting the web server (about 3 s)",
            "",
            "Stop it with       Ctrl-C",
        ]
        assert f"  The shop is open   http://127.0.0.1:{shop.port}/" in shop.opening

    def test_that_is_killed_leaves_no_process_behind(self, killed):
        shop, parts = killed
        assert all(map(dies, parts.values()))
        require_free(shop.port)

    def test_that_follows_has_its_data_reads_its_stream_and_stops_by_ctrl_c(self, killed):
        row = "7,lamp,en,5,2026-01-01T00:00:00Z,Ann,,Bright"
        with opened(killed[0].var, COMMENTS_READ_MODEL="sets") as shop:
            parts = shop.parts()
            assert set(parts) == {"dynoxide", "gunicorn", "run_stream"}
            file = shop.var / "one.csv"
            file.write_text(f"id,product_id,language,rating,created_at,author,title,body\n{row}\n")
            shop.manage("import_comments", str(file))
            explain = ("explain", "comments", "--product", "lamp", "--ratings", "4,5", "--json")
            for _ in range(SECONDS):
                explained = json.loads(shop.manage(*explain))
                if explained["items_returned"] == 1:
                    break
            assert explained["items_returned"] == 1
            assert explained["queries"][0]["key"] == "PRODUCT#lamp/~/4.5"
            shop.process.send_signal(signal.SIGINT)
            assert shop.said_at_the_end()[-1] == "Stopped."
            assert shop.process.returncode == 0
            assert not any(map(is_alive, parts.values()))
            assert not (shop.var / "demo.json").exists()


def test_a_shop_that_cannot_open_says_which_file_is_damaged(tmp_path):
    (tmp_path / "shop.db").write_bytes(b"not a database " * 1000)
    words = ("manage.py", "demo", "--empty", "--port", spare_port())
    result = run_python(*words, **environment(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith(f"{tmp_path / 'shop.db'} cannot be read")
    assert result.stderr.count("\n") == 1
