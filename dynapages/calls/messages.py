"""Messages of HTTP/1.1: a POST as bytes, and the answer to it, read from a connection.

`http.client` reads the head of an answer as that of an e-mail, and sends a request line by line;
urllib3 adds what redirects, retries and streams need. Together that takes nearly three times as
long as what a call needs: `post_message` builds a request in one piece, and `read_answer` reads an
answer whole. Follows RFC 9112, "HTTP/1.1", above all its section 6.3, "Message Body Length".
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, IncompleteRead
from typing import BinaryIO

LONGEST_LINE = 65_536
"""Bytes of a line of a head."""
MOST_HEADERS = 100
LARGEST_CONTENT = 128 * 1024**2
"""Bytes of a body: DynamoDB answers with 16 MB of items at most, which may be longer in JSON."""
_STATUS_LINE = re.compile(r"HTTP/1\.([0-9]) ([0-9]{3})(?: .*)?")
_LENGTH = re.compile(r"[0-9]{1,12}")
_LENGTH_OF_A_CHUNK = re.compile(r"([0-9A-Fa-f]{1,10})[ \t]*(?:;.*)?")
_WITHOUT_CONTENT = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request; names of headers are in lower case.

    ``is_last`` is whether the connection has no further one.
    """

    status: int
    headers: dict[str, str]
    content: bytes
    is_last: bool


def post_message(target: str, headers: dict[str, str], body: bytes) -> bytes:
    """Build a POST; the headers include Content-Length. Raises ValueError for a line end in one."""
    lines = [f"POST {target} HTTP/1.1"]
    for name, value in headers.items():
        lines.append(f"{name}: {value}")
    head = "\r\n".join(lines)
    # What follows a line end would be read as a further header, or as the body.
    if head.count("\n") != len(headers) or head.count("\r") != len(headers):
        raise ValueError("A header, or an address, has no line ends")
    return f"{head}\r\n\r\n".encode("latin-1") + body


def read_answer(stream: BinaryIO) -> Answer:
    """Read the answer to a POST from a buffered stream.

    Raises HTTPException for what is no whole answer, and what the stream raises.
    """
    minor_version, status = _read_status(stream)
    headers = _read_headers(stream)
    while status < HTTPStatus.OK:  # the answer proper is still to come
        minor_version, status = _read_status(stream)
        headers = _read_headers(stream)
    # By HTTP/1.0 a connection ends with its answer, as a rule.
    is_last = minor_version == 0 or "close" in headers.get("connection", "").lower()
    if status in _WITHOUT_CONTENT:
        content = b""
    elif "transfer-encoding" in headers:
        content = _read_chunks(stream, headers["transfer-encoding"])
    elif "content-length" in headers:
        content = _read_content(stream, headers["content-length"])
    else:
        content = _read_to_end(stream)
        is_last = True
    return Answer(status, headers, content, is_last)


def _read_status(stream: BinaryIO) -> tuple[int, int]:
    """Read a status line; return the minor version and the status."""
    line = _read_line(stream)
    matched = _STATUS_LINE.fullmatch(line)
    if matched is None:
        raise HTTPException(f"An answer of HTTP/1.1 does not begin with {line[:80]!r}")
    return int(matched[1]), int(matched[2])


def _read_headers(stream: BinaryIO) -> dict[str, str]:
    """Read headers, or the trailer behind chunks; several of one name are joined by commas."""
    headers: dict[str, str] = {}
    for _ in range(MOST_HEADERS + 1):
        line = _read_line(stream)
        if not line:
            return headers
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise HTTPException(f"A header has a name and a colon, unlike {line[:80]!r}")
        name = name.lower()
        value = value.strip()
        if name in headers:
            value = f"{headers[name]}, {value}"
        headers[name] = value
    raise HTTPException(f"An answer has {MOST_HEADERS} headers at most")


def _read_line(stream: BinaryIO) -> str:
    """Read a line of a head, without its end."""
    line = stream.readline(LONGEST_LINE + 2)
    if not line.endswith(b"\n"):
        if len(line) > LONGEST_LINE:
            raise HTTPException(f"A line has {LONGEST_LINE} bytes at most")
        raise HTTPException("The connection ended before the answer did")
    return line.rstrip(b"\r\n").decode("latin-1")


def _read_content(stream: BinaryIO, length: str) -> bytes:
    """Read a body whose header says how long it is."""
    if not _LENGTH.fullmatch(length):
        raise HTTPException(f"A Content-Length is a number, not {length[:80]!r}")
    return _read_exactly(stream, int(length))


def _read_chunks(stream: BinaryIO, coding: str) -> bytes:
    """Read a body of chunks, each behind its own length, and the trailer behind them."""
    if coding.lower() != "chunked":
        raise HTTPException(f"A Transfer-Encoding is chunked, not {coding[:80]!r}")
    content = bytearray()
    while True:
        line = _read_line(stream)
        matched = _LENGTH_OF_A_CHUNK.fullmatch(line)
        if matched is None:
            raise HTTPException(f"A chunk begins with its length, not {line[:80]!r}")
        length = int(matched[1], 16)
        if not length:
            break
        _refuse_above_most(len(content) + length)
        content += _read_exactly(stream, length)
        if _read_line(stream):
            raise HTTPException("A chunk is longer than it says")
    _read_headers(stream)
    return bytes(content)


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    _refuse_above_most(length)
    content = stream.read(length)
    if len(content) < length:
        raise IncompleteRead(content, length - len(content))
    return content


def _read_to_end(stream: BinaryIO) -> bytes:
    """Read a body that the end of its connection ends."""
    content = stream.read(LARGEST_CONTENT + 1)
    _refuse_above_most(len(content))
    return content


def _refuse_above_most(length: int) -> None:
    if length > LARGEST_CONTENT:
        raise HTTPException(f"A body has {LARGEST_CONTENT} bytes at most, not {length}")
