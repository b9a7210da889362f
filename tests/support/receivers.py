"""Receivers of webhooks on this machine, by TLS, with a certificate of their own.

A receiver answers as it is told to, and keeps each request that it was sent.
"""

import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from threading import Event, Thread

from shop.webhooks.sending import Place

HOST = "receiver.example.com"
CERTIFICATE = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1")


@dataclass(frozen=True)
class Request:
    """A request as it came: its path, its headers by their names in lower case, and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    """Keeps a request, and answers as the receiver does."""

    server: "Server"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.receiver.requests.append(Request(self.path, headers, body))
        # Whoever has sent it may have gone away.
        with suppress(OSError):
            self.server.receiver.answer(self)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


Answer = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    """The server of a receiver."""

    daemon_threads = True
    block_on_close = False
    receiver: "Receiver"

    def handle_error(self, *_: object) -> None:
        """Log nothing."""


@dataclass
class Receiver:
    """A receiver at a port, and what it was sent; ``answer`` is how it answers."""

    port: int
    answer: Answer
    requests: list[Request] = field(default_factory=list)
    is_over: Event = field(default_factory=Event)

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}/events?shop=1"


def status(code: int, **headers: str) -> Answer:
    """Answers with a status."""

    def answer(handler: Handler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()

    return answer


def hangs(handler: Handler) -> None:
    """Never answers."""
    handler.server.receiver.is_over.wait(60)


def says_one_byte_at_a_time(handler: Handler) -> None:
    """Begins to answer, and goes on with a byte now and then."""
    for byte in b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 10_000:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        if handler.server.receiver.is_over.wait(0.05):
            return


def says_too_much(handler: Handler) -> None:
    """Answers with a body that has no end."""
    status(200)(handler)
    while not handler.server.receiver.is_over.is_set():
        handler.wfile.write(b"y" * 65_536)


def has_endless_headers(handler: Handler) -> None:
    """Answers with a line of a header that has no end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx: ")
    while not handler.server.receiver.is_over.is_set():
        handler.wfile.write(b"y" * 65_536)


def hangs_up(handler: Handler) -> None:
    """Closes the connection without an answer."""
    handler.close_connection = True


def speaks_otherwise(handler: Handler) -> None:
    """Answers by another protocol."""
    handler.wfile.write(b"220 mail.example.com ESMTP\r\n")


@dataclass(frozen=True)
class ThisMachine:
    """A network where every name leads here, and that trusts one certificate."""

    certificate: Path
    places: Sequence[Place] = ()

    def resolve(self, host: str, port: int) -> Sequence[Place]:
        assert host == HOST
        return self.places or [(socket.AF_INET, ("127.0.0.1", port))]

    def is_allowed(self, _address: IPv4Address | IPv6Address) -> bool:
        return True

    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))


def make_certificate(folder: Path, host: str = HOST) -> tuple[Path, Path]:
    """Make a certificate of a host, and its key."""
    certificate, key = folder / f"{host}.pem", folder / f"{host}.key"
    names = ("-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}")
    command = [*CERTIFICATE, *names, "-out", str(certificate), "-keyout", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


@contextmanager
def receiving(certificate: Path, key: Path, answer: Answer) -> Iterator[Receiver]:
    """Run a receiver on this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    receiver = server.receiver = Receiver(server.server_address[1], answer)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
