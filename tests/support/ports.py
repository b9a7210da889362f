"""Ports for servers that a test starts a while later, or stops and starts again."""

import os
from itertools import count

from dynapages.engine.child import PortInUse, require_free

LOWEST, NUMBER = 20_000, 12_000
"""Below those that Linux gives to outgoing connections, of which the tests make many meanwhile."""
_steps = count()


def spare_port() -> int:
    """A free port that nobody else is given by chance; each process begins elsewhere."""
    for step in _steps:
        port = LOWEST + (os.getpid() * 61 + step) % NUMBER
        try:
            require_free(port)
        except PortInUse:
            continue
        return port
    raise AssertionError
