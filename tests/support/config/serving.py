"""The site on a port of its own, for what is no test client: browsers and programs of strangers."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application


class SilentHandler(WSGIRequestHandler):
    """Keeps requests out of the tests' output."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def served_site() -> Iterator[str]:
    """Serve the site on a free port, and yield its address, without a slash at its end."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), SilentHandler)
    server.set_app(get_wsgi_application())
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
