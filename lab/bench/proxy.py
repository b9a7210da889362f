"""A proxy that makes every call to the engine take longer, as a network would.

It passes bytes on as they come; only the first ones of each request wait. It runs in a process of
its own, so that it takes no time from what is measured: ``proxy.py PORT SECONDS`` listens on a
free port, prints it, and passes on to ``PORT`` of this machine.
"""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
CHUNK = 65_536
START_SECONDS = 10.0
POLL_SECONDS = 0.02


@contextmanager
def delayed(endpoint_url: str, *, seconds: float) -> Iterator[str]:
    """Run the proxy before an engine of this machine, and give its URL. Raises EngineSilent."""
    import time  # noqa: PLC0415 - the proxy's own process needs none of these

    from dynamo.engine import EngineSilent  # noqa: PLC0415 - the same
    from dynamo.engine.child import Child  # noqa: PLC0415 - the same

    port = urlsplit(endpoint_url).port
    child = Child([sys.executable, str(Path(__file__)), str(port), str(seconds)], listen=True)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not (said := child.output()):
            if time.monotonic() > deadline or child.exit_code is not None:
                raise EngineSilent("The delaying proxy", port or 0, START_SECONDS)
            time.sleep(POLL_SECONDS)
        yield f"http://{LOOPBACK}:{said[0]}"
    finally:
        child.stop()


class _Delaying:
    """Serves connections; each has a request under way or not."""

    def __init__(self, port: int, seconds: float) -> None:
        self._port = port
        self._seconds = seconds

    async def serve(self) -> None:
        server = await asyncio.start_server(self._connect, LOOPBACK, 0)
        print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - whoever started it reads it
        await server.serve_forever()

    async def _connect(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        engine, to_engine = await asyncio.open_connection(LOOPBACK, self._port)
        is_idle = asyncio.Event()
        is_idle.set()

        async def ask() -> None:
            while sent := await client.read(CHUNK):
                if is_idle.is_set():
                    is_idle.clear()
                    await asyncio.sleep(self._seconds)
                to_engine.write(sent)
                await to_engine.drain()
            to_engine.close()

        async def answer() -> None:
            while received := await engine.read(CHUNK):
                is_idle.set()
                to_client.write(received)
                await to_client.drain()
            to_client.close()

        await asyncio.gather(ask(), answer(), return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(_Delaying(int(sys.argv[1]), float(sys.argv[2])).serve())
