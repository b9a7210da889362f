"""Processes under the engine's care: misbehaving ones, and ones whose starter is killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from dynapages.engine.child import Child
from dynapages.engine.server import EngineDied, EngineServer, EngineSilent
from dynapages_testing.processes import dies, is_alive

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
DEAF = [
    sys.executable,
    "-uc",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1); time.sleep(600)",
]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child's life")


class Script(EngineServer):
    """An 'engine' of a line of Python."""

    name = "script"
    greeting = "ready"

    def __init__(self, source: str, *, start_seconds: float) -> None:
        super().__init__(start_seconds=start_seconds)
        self.source = source

    def _launch(self, port: int) -> Child:
        return Child([sys.executable, "-c", self.source, str(port)], listen=True)


class TestAnEngineThatDoesNotStart:
    def test_is_quoted(self):
        script = Script("print('one'); print('out of luck'); raise SystemExit(7)", start_seconds=30)
        with pytest.raises(EngineDied, match=r"^script ended with exit code 7: out of luck$"):
            script.start()

    def test_is_stopped_when_it_stays_silent(self):
        script = Script("import time; time.sleep(600)", start_seconds=0.5)
        with pytest.raises(EngineSilent, match="did not answer"):
            script.start()
        assert script.pid is None


class TestAChild:
    def test_ends_when_asked_to(self):
        with Child(SLEEP) as child:
            pass
        assert child.poll() is not None
        assert not is_alive(child.pid)

    def test_is_killed_when_it_does_not_listen(self):
        child = Child(DEAF, listen=True)
        while not child.output():
            time.sleep(0.05)
        child.stop(patience=0.2)
        assert child.returncode == -signal.SIGKILL

    def test_does_not_get_the_terminals_ctrl_c(self):
        with Child(SLEEP) as child:
            assert os.getsid(child.pid) == child.pid


STARTER = """
import sys, time
from dynapages.engine.server import Child

child = Child([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""


@on_linux
def test_nothing_outlives_a_starter_that_was_killed():
    command = [sys.executable, "-c", STARTER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout
        child = int(starter.stdout.readline())
        assert is_alive(child)
        starter.kill()
    assert dies(child)
