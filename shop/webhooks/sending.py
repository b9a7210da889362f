"""The sending of a request to an address that somebody else has chosen: bounded in all it may do.

The name of the host is resolved once, and the connection is to one of these very addresses: none of
them may be other than public. No redirect is followed, and of the answer only the status is read.
All of it is over within `SECONDS`, however slowly the other side reads or writes.
"""

import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv6Address, ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

from shop.webhooks.addresses import HTTPS_PORT, Target, is_public

SECONDS = 10.0
"""For all of a request, from resolving the name to the status of the answer."""
CONNECT_SECONDS = 4.0
"""For the connection to one address of several: the others want to be tried as well."""
MOST_READ = 16_384
"""Bytes of an answer: its status, and its headers."""


class NotSent(Exception):
    """A request has no answer; ``sentence`` says why. ``is_away``: others would have none either.

    It names the host, and no more of the address, which may hold a secret.
    """

    def __init__(self, sentence: str, *, is_away: bool) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.is_away = is_away


class PrivateAddress(Exception):
    """The name of a host leads to an address that is not public."""


Place = tuple[socket.AddressFamily, tuple[Any, ...]]
"""A kind of network address, and the address as a socket takes it."""


class Network(Protocol):
    """The network that requests are sent by."""

    def resolve(self, host: str, port: int) -> Sequence[Place]:
        """Return the addresses of a host. Raises OSError; it may take its time."""

    def is_allowed(self, address: IPv4Address | IPv6Address) -> bool:
        """Return whether requests may be sent there."""

    def tls(self) -> ssl.SSLContext:
        """Return what checks the certificates of hosts."""


class _Internet:
    """The public Internet: what is sent by it reaches nothing else."""

    def resolve(self, host: str, port: int) -> Sequence[Place]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [(family, address) for family, _type, _protocol, _name, address in found]

    def is_allowed(self, address: IPv4Address | IPv6Address) -> bool:
        return is_public(address)

    def tls(self) -> ssl.SSLContext:
        return _tls_of_process()


INTERNET = _Internet()


@lru_cache(maxsize=1)
def _tls_of_process() -> ssl.SSLContext:
    # The certificates of this machine: reading them takes a while.
    return ssl.create_default_context()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of `time.monotonic`, by which all must be over."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def seconds_left(self) -> float:
        """Return the seconds until then, more than 0. Raises TimeoutError when it has passed."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def post(
    target: Target,
    headers: Mapping[str, str],
    body: bytes,
    *,
    network: Network = INTERNET,
    seconds: float = SECONDS,
) -> int:
    """Send a body to a target; return the status of the answer. Raises NotSent."""
    with _failures_in_sentences(target.host, seconds):
        deadline = Deadline.after(seconds)
        places = _allowed_places(target, network, deadline)
        with _connected(places, deadline) as plain:
            plain.settimeout(deadline.seconds_left())
            # The handshake is one operation, which the time left bounds.
            with network.tls().wrap_socket(plain, server_hostname=target.host) as connection:
                status = _exchange(_Bounded(connection, deadline), target, headers, body)
                # Nobody waits for a farewell that may never come.
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                return status


@contextmanager
def _failures_in_sentences(host: str, seconds: float) -> Iterator[None]:
    """Raise NotSent for whatever goes wrong on the way to a host and back."""
    try:
        yield
    except PrivateAddress as error:
        raise NotSent(f"{host} has an address that is not public.", is_away=False) from error
    except TimeoutError as error:
        sentence = f"{host} did not answer within {seconds:g} seconds."
        raise NotSent(sentence, is_away=True) from error
    except ssl.SSLCertVerificationError as error:
        raise NotSent(f"The certificate of {host} is not valid.", is_away=True) from error
    except socket.gaierror as error:
        raise NotSent(f"The name {host} is not known.", is_away=True) from error
    except (OSError, HTTPException) as error:
        sentence = f"{host} could not be reached ({type(error).__name__})."
        raise NotSent(sentence, is_away=True) from error


# Connecting


def _allowed_places(target: Target, network: Network, deadline: Deadline) -> Sequence[Place]:
    """Return the addresses of a host. Raises PrivateAddress where one of them is not allowed."""
    places = _resolve(target, network, deadline)
    for _family, place in places:
        address = ip_address(str(place[0]).partition("%")[0])
        if not network.is_allowed(address):
            raise PrivateAddress
    return places


def _resolve(target: Target, network: Network, deadline: Deadline) -> Sequence[Place]:
    """Resolve the name of a host within the time left. Raises OSError."""
    answers = SimpleQueue[Sequence[Place] | OSError]()

    def resolve() -> None:
        try:
            answers.put(network.resolve(target.host, target.port))
        except OSError as error:
            answers.put(error)

    # The operating system takes no time limit: a thread that is not waited for ends by itself.
    Thread(target=resolve, name="resolve", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.seconds_left())
    except Empty:
        raise TimeoutError from None
    if isinstance(answer, OSError):
        raise answer
    return answer


@contextmanager
def _connected(places: Sequence[Place], deadline: Deadline) -> Iterator[socket.socket]:
    """Connect to the first of some addresses that answers. Raises OSError."""
    connected = None
    for number, (family, address) in enumerate(places, start=1):
        seconds = deadline.seconds_left()
        if number < len(places):
            seconds = min(seconds, CONNECT_SECONDS)
        attempt = socket.socket(family, socket.SOCK_STREAM)
        attempt.settimeout(seconds)
        try:
            attempt.connect(address)
        except OSError:
            attempt.close()
            if number == len(places):
                raise
        else:
            connected = attempt
            break
    if connected is None:
        raise ConnectionRefusedError
    with connected:
        yield connected


# The request, and the status of its answer


def _exchange(
    connection: "_Bounded", target: Target, headers: Mapping[str, str], body: bytes
) -> int:
    """Send a request by a connection, and return the status of the answer."""
    request = _Request(target.host, target.port)
    request.sock = connection
    request.request("POST", target.path, body, {**headers, "connection": "close"})
    return request.getresponse().status


class _Request(HTTPConnection):
    """A request by a connection that there is; its ``Host`` names a port if that is not HTTPS's."""

    default_port = HTTPS_PORT
    auto_open = 0


class _Bounded:
    """What a request needs of a socket, each step of it within the deadline."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(self._deadline.seconds_left())
        self._connection.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return what the answer is read from."""
        return io.BufferedReader(_Reader(self._connection, self._deadline))

    def close(self) -> None:
        """Leave the connection to whoever has made it."""


class _Reader(io.RawIOBase):
    """Reads `MOST_READ` bytes of an answer at the most, as if there were no more."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._connection = connection
        self._deadline = deadline
        self._left = MOST_READ

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as in the standard library
        """Read some bytes into a buffer; return how many, 0 at the end."""
        if self._left <= 0:
            return 0
        # One byte at a time would renew a limit for each: the time left does not grow.
        self._connection.settimeout(self._deadline.seconds_left())
        read = self._connection.recv_into(buffer, min(len(buffer), self._left))
        self._left -= read
        return read
