"""Free TCP ports of this machine."""

import socket

from dynamo.engine.errors import EngineError

LOOPBACK = "127.0.0.1"


class PortInUse(EngineError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(f"Port {port} is already in use on this machine.")
        self.port = port


def free_port() -> int:
    """Return a port that was free a moment ago; another program may take it first."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def require_free(port: int, *, host: str = LOOPBACK) -> None:
    """Raise PortInUse unless a server could listen there now."""
    with socket.socket() as probe:
        # A connection of the previous run that lingers in TIME_WAIT does not count as in use.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortInUse(port) from error
