"""What ``make run`` runs, started for real: its manners at the start, in service and at the end.

Starting it takes seconds: a shop lives through several things, and the tests read what was seen.
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
from typing import Any

import pytest

from dynamo.engine.server import find, require_free
from tests.support.dynamo.processes import dies, is_alive
from tests.support.ports import spare_port
from tests.support.project import PROJECT

SECONDS = 60

pytestmark = [
    pytest.mark.slow,
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
        return subprocess.check_output(
            [sys.executable, "manage.py", *command],
            cwd=PROJECT,
            env=environment(self.var),
            text=True,
            timeout=SECONDS,
        )

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


@dataclass
class KilledShop:
    """What was seen of a shop until it was killed."""

    shop: Shop
    parts: dict[str, int]
    health: int
    endpoint_url: str
    """The database it told of in its note."""
    meant_by_others: str
    """The database that another command would use."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("shop")) as shop:
        show = "from django.conf import settings; print(settings.DYNAMODB_ENDPOINT_URL)"
        seen = KilledShop(
            shop=shop,
            parts=shop.parts(),
            health=shop.get("/healthz"),
            endpoint_url=json.loads((shop.var / "demo.json").read_text())["endpoint_url"],
            meant_by_others=shop.manage("shell", "--no-imports", "-c", show).strip(),
        )
        shop.process.kill()
        shop.said_at_the_end()
    return seen


@dataclass
class ShopOfSets:
    """What was seen of a shop that reads sets, until it was stopped by Ctrl-C."""

    shop: Shop
    parts: dict[str, int]
    explained: dict[str, Any]
    """How it read a comment that another command had imported."""
    goodbye: list[str]
    left: set[str]
    """Parts that were there when it had ended."""


@pytest.fixture(scope="module")
def of_sets(killed):
    """A shop in the folder of the one that was killed."""
    row = "7,lamp,en,5,2026-01-01T00:00:00Z,Ann,,Bright"
    with opened(killed.shop.var, COMMENTS_READ_MODEL="sets") as shop:
        parts = shop.parts()
        file = shop.var / "one.csv"
        file.write_text(f"id,product_id,language,rating,created_at,author,title,body\n{row}\n")
        shop.manage("import_comments", str(file))
        explain = ("explain", "comments", "--product", "lamp", "--ratings", "4,5", "--json")
        for _ in range(SECONDS):
            explained = json.loads(shop.manage(*explain))
            if explained["items_returned"] == 1:
                break
        shop.process.send_signal(signal.SIGINT)
        goodbye = shop.said_at_the_end()
        left = {name for name, pid in parts.items() if is_alive(pid)}
    return ShopOfSets(shop, parts, explained, goodbye, left)


class TestAnOpenShop:
    def test_serves_pages(self, killed):
        assert killed.health == 200

    def test_is_a_database_and_a_web_server(self, killed):
        assert set(killed.parts) == {"dynoxide", "gunicorn"}

    def test_makes_the_tables(self, killed):
        assert "dynashop-comments: creating" in killed.shop.opening

    def test_is_what_other_commands_mean(self, killed):
        assert killed.meant_by_others == killed.endpoint_url


class TestAKilledShop:
    def test_leaves_no_process_behind(self, killed):
        assert all(map(dies, killed.parts.values()))
        require_free(killed.shop.port)

    def test_leaves_its_data_to_the_next(self, of_sets):
        assert "dynashop-comments: creating" not in of_sets.shop.opening
        assert "dynashop-comments: active" in of_sets.shop.opening


class TestAShopThatReadsSets:
    def test_reads_the_stream_of_what_other_commands_write(self, of_sets):
        assert set(of_sets.parts) == {"dynoxide", "gunicorn", "run_stream"}
        assert of_sets.explained["queries"][0]["key"] == "PRODUCT#lamp/~/4.5"
        assert of_sets.explained["items_returned"] == 1


class TestAShopStoppedByCtrlC:
    def test_says_so(self, of_sets):
        assert of_sets.goodbye[-1] == "Stopped."
        assert of_sets.shop.process.returncode == 0

    def test_has_stopped_all_its_parts(self, of_sets):
        assert of_sets.left == set()

    def test_leaves_no_note_behind(self, of_sets):
        assert not (of_sets.shop.var / "demo.json").exists()


class TestAShopThatCannotOpen:
    def run_in_vain(self, var: Path, **changes: str) -> str:
        """What a demo says that cannot start."""
        result = subprocess.run(
            [sys.executable, "manage.py", "demo", "--empty", "--port", str(spare_port())],
            cwd=PROJECT,
            env=environment(var, **changes),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert result.returncode == 1
        return result.stdout + result.stderr

    def test_says_which_file_is_damaged(self, tmp_path):
        (tmp_path / "shop.db").write_bytes(b"not a database " * 1000)
        said = self.run_in_vain(tmp_path)
        assert said.startswith(f"{tmp_path / 'shop.db'} cannot be read")
        assert said.count("\n") == 1

    def test_names_a_wrong_setting(self, tmp_path):
        said = self.run_in_vain(tmp_path, DYNAMODB_ENDPOINT_URL="localhost")
        assert said.startswith("CommandError: DYNAMODB_ENDPOINT_URL is 'localhost'")
        assert said.count("\n") == 1
