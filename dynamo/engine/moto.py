"""Moto's server: good enough to try the shop where dynoxide does not run."""

import sys
from pathlib import Path

from dynamo.engine.child import Child
from dynamo.engine.ports import LOOPBACK, require_free
from dynamo.engine.server import EngineServer

PROGRAM = Path(__file__).with_name("moto_server.py")


class MotoEngine(EngineServer):
    """DynamoDB in memory, gone when it stops.

    Its capacity is a constant, it has no index lag, and writers never conflict, as it takes them
    one after the other: never measure cost or speed on it.
    """

    name = "moto"
    greeting = "Running on"
    keeps_data = False

    def _launch(self, port: int) -> Child:
        # Moto would print a traceback about a taken port; this says it in a sentence.
        require_free(port)
        command = [sys.executable, "-P", str(PROGRAM), LOOPBACK, str(port)]
        return Child(command, listen=True)
