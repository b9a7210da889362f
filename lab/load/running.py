"""Locust as a child process, with the clients of `lab.load.rates`.

A process of its own, because Locust changes Python's sockets and threads in its process.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from dynapages.engine.child import LOOPBACK
from dynapages.errors import DynamoError

LOCUSTFILE = Path(__file__).with_name("rates.py")
SPAWNED = "All users spawned"
PATIENCE = 30
"""Seconds in which clients finish what they do when their time is over."""


class LocustMissing(DynamoError):
    """Locust is not installed."""

    def __init__(self) -> None:
        super().__init__("Locust is not installed here; 'make install-lab' installs it.")


class LocustFailed(DynamoError):
    """Locust ended without figures; the sentence ends with the last line it printed."""


class RequestsFailed(DynamoError):
    """The site answered with something else than pages."""

    def __init__(self, number: int) -> None:
        super().__init__(f"{number:,} requests were not answered with a page.")


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one name: the seconds until each was answered, and how many of them failed.

    Locust rounds them: to milliseconds, from a tenth of a second on to two digits. ``slowest`` is
    exact.
    """

    seconds: Sequence[float] = ()
    failed: int = 0
    slowest: float = 0.0

    @property
    def answered(self) -> int:
        return len(self.seconds) - self.failed


Found = Mapping[str, Requests]
"""Requests by their names."""


def require_locust() -> None:
    """Raise LocustMissing where it is not installed."""
    if find_spec("locust") is None:
        raise LocustMissing


@contextmanager
def locust(
    port: int,
    clients: Mapping[str, int],
    *,
    paths: Sequence[str],
    seconds: float = 0.0,
    rate: float = 1.0,
    password: str = "",
) -> Iterator[Callable[[], Found]]:
    """Run so many clients of each class; yield a function that waits for their end.

    The block begins when all are there. Those that arrive do so ``rate`` times a second, each.
    Raises LocustMissing and LocustFailed.
    """
    require_locust()
    number = str(sum(clients.values()))
    counts = [{"user_class_name": name, "fixed_count": n} for name, n in clients.items()]
    with TemporaryDirectory(prefix="locust-") as temporary:
        folder = Path(temporary)
        (folder / "paths").write_text(json.dumps(list(paths)))
        options = {
            "locustfile": str(LOCUSTFILE),
            "host": f"http://{LOOPBACK}:{port}",
            "users": number,
            "spawn-rate": number,
            "config-users": json.dumps(counts),
            "stop-timeout": str(PATIENCE),
            "exit-code-on-error": "0",
            "json-file": str(folder / "found"),
            "paths": str(folder / "paths"),
            "for-seconds": str(seconds),
            "rate": str(rate),
            "password": password,
        }
        child = subprocess.Popen(
            [
                *(sys.executable, "-m", "locust", "--headless", "--only-summary"),
                *(f"--{name}={value}" for name, value in options.items()),
                *clients,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with child:
            try:
                lines: list[str] = []
                for line in child.stderr or ():
                    lines.append(line)
                    if SPAWNED in line:
                        break
                yield partial(_found, child, folder / "found.json", lines)
            finally:
                child.kill()


def run(port: int, clients: Mapping[str, int], **options: object) -> Found:
    """Run clients to their end; the options are those of `locust`, and so are the errors."""
    with locust(port, clients, **options) as found:  # type: ignore[arg-type] # passed on as they are
        return found()


def _found(child: "subprocess.Popen[str]", report: Path, lines: Sequence[str]) -> Found:
    _, rest = child.communicate()
    if child.returncode or not report.exists():
        (*_, last) = ("", *lines, *rest.splitlines())
        raise LocustFailed(f"Locust ended without figures: {last.strip()}")
    return {
        entry["name"]: Requests(
            tuple(
                int(milliseconds) / 1000
                for milliseconds, times in entry["response_times"].items()
                for _ in range(times)
            ),
            entry["num_failures"],
            entry["max_response_time"] / 1000,
        )
        for entry in json.loads(report.read_text())
    }
