"""Moto's server, to try the shop where dynoxide does not run."""

import sys
from pathlib import Path

from dynamo.engine.child import Child
from dynamo.engine.ports import LOOPBACK, require_free
from dynamo.engine.server import EngineServer

PROGRAM = Path(__file__).with_name("moto_server.py")


class MotoEngine(EngineServer):
    """DynamoDB in memory.

    Its capacity units are a constant, its indexes do not lag, and writers never conflict, as it
    handles requests one after the other: do not measure cost or speed with it.
    """

    name = "moto"
    greeting = "Running on"
    keeps_data = False

    def _launch(self, port: int) -> Child:
        # Moto would print a traceback about a port in use.
        require_free(port)
        command = [sys.executable, "-P", str(PROGRAM), LOOPBACK, str(port)]
        return Child(command, listen=True)
