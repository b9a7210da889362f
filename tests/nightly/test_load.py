"""Some load by Locust, on the sample shop: every task is done, and no request fails."""

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from config.web.shedding import TOO_MANY
from dynapages.engine.server import find_dynoxide
from tests.support.ports import spare_port
from tests.support.project import PROJECT

SECONDS = 40
USERS = 8
STARTING = 300
"""Seconds in which the demo has loaded its data, or its data was checked, on a busy machine."""
MORE_CUSTOMERS = '[{"user_class_name": "Customer", "weight": 8}]'
TASKS = {
    *("front page", "product", "category", "comments (htmx)", "comments, next (htmx)"),
    *("comments, prev (htmx)", "comments, last (htmx)", "sign up", "sign out", "sign in"),
    *("comment, post", "comment, edit", "vote", "basket, add", "checkout", "order, place"),
    *("orders", "order", "queue", "order, move"),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(find_dynoxide(PROJECT) is None, reason="dynoxide is not installed"),
    pytest.mark.skipif(
        find_spec("locust") is None, reason="Locust of lab/requirements.txt is not installed"
    ),
]


def environment(var: Path) -> dict[str, str]:
    """A new user's, with what docs/benchmarks.md says to set."""
    settings = {"TRUSTED_PROXIES": "1", "COMMENT_WRITES_PER_USER": "10000"}
    return {"PATH": os.environ["PATH"], "VAR_DIR": str(var), **settings}


def run(var: Path, *command: str, seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT,
        env=environment(var),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def run_locust(var: Path, *options: str, seconds: float) -> subprocess.CompletedProcess[str]:
    file = ("--locustfile", "lab/locustfile.py", "--headless")
    return run(var, "-m", "locust", *file, *options, seconds=seconds)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def requests_in(var: Path) -> dict[str, int]:
    """How often each name was asked for, by the report in a folder."""
    return {row["Name"]: int(row["Request Count"]) for row in rows_of(var / "load_stats.csv")}


@contextmanager
def sample_shop(var: Path, said: list[str]) -> Iterator[str]:
    """The sample shop's address; ``said`` gets the lines that it prints."""
    port = spare_port()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", str(port)],
        cwd=PROJECT,
        env=environment(var),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C" in line:
                break
        yield f"http://127.0.0.1:{port}"
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=STARTING)[0].splitlines()
    finally:
        process.kill()
        process.communicate(timeout=STARTING)


@dataclass
class Load:
    """What was seen of the load."""

    locust: subprocess.CompletedProcess[str]
    requests: dict[str, int]
    failures: list[dict[str, str]]
    integrity: subprocess.CompletedProcess[str]
    said: list[str]


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    var, said = tmp_path_factory.mktemp("load"), list[str]()
    with sample_shop(var, said) as address:
        locust = run_locust(
            var,
            *("--users", str(USERS), "--spawn-rate", "4", "--run-time", f"{SECONDS}s"),
            *("--host", address, "--think-seconds", "0.2", "--config-users", MORE_CUSTOMERS),
            *("--only-summary", "--csv", str(var / "load")),
            seconds=2 * SECONDS,
        )
        integrity = run(var, "manage.py", "check_integrity", seconds=STARTING)
    return Load(locust, requests_in(var), rows_of(var / "load_failures.csv"), integrity, said)


class TestSomeLoad:
    def test_does_every_task_and_has_no_request_that_failed(self, load):
        assert load.failures == []
        assert load.locust.returncode == 0, load.locust.stderr
        assert TASKS - load.requests.keys() == set()

    def test_leaves_nothing_for_the_integrity_check(self, load):
        assert load.integrity.returncode == 0, load.integrity.stdout

    def test_logs_no_traceback(self, load):
        assert not [line for line in (*load.said, load.locust.stderr) if "Traceback" in line]


class Full(BaseHTTPRequestHandler):
    """A site that has no time for anybody."""

    says = str(TOO_MANY).encode()

    def do_GET(self) -> None:
        self.send_response(503)
        self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(self.says)))
        self.end_headers()
        self.wfile.write(self.says)

    do_POST = do_GET  # noqa: N815 - http.server's name

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def served(site: type[Full]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), site) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def run_briefly(folder: Path, site: type[Full]) -> subprocess.CompletedProcess[str]:
    with served(site) as address:
        return run_locust(
            folder,
            *("--users", "2", "--spawn-rate", "2", "--run-time", "3s", "--think-seconds", "0"),
            *("--host", address, "--csv", str(folder / "load")),
            seconds=SECONDS,
        )


class TestA503:
    def test_of_a_full_site_is_counted_apart_and_asked_no_sooner_than_it_says(self, tmp_path):
        done = run_briefly(tmp_path, Full)
        assert done.returncode == 0, done.stderr
        requests = requests_in(tmp_path)
        assert requests.pop("Aggregated") <= 2 * (3 + 1)
        assert requests
        assert all(name.endswith(" (shed)") for name in requests)
