"""What the worker of a process does, done by the test at once: no thread, and no waiting."""

import time
from unittest.mock import patch

from comments.rankings.ratings import KIND as RATE
from comments.store.writing import QUEUE
from comments.testing import finish_owed
from comments.testing.work import LONG
from dynapages.work import Owed, Queue, worker


def finish_what_waits() -> None:
    """Make the calls that this process has put off, as if they were due."""
    real = time.monotonic
    with patch("dynapages.work.workers.time.monotonic", lambda: real() + LONG.total_seconds()):
        assert worker().flush(seconds=60)


def forget_what_waits() -> None:
    """Lose what this process has put off, as it does when it is killed."""
    worker().forget()


def waiting_now() -> list[Owed]:
    """What comments owe, but the ratings that are written some minutes later."""
    return [owed for owed in QUEUE.waiting() if owed.kind != RATE]


def work_off(queue: Queue = QUEUE) -> int:
    """Have another process do all that is owed, two minutes later and more; return how much."""
    return finish_owed([queue])
