"""Requests are written, and answers read, as HTTP/1.1 says and as the standard library does."""

from email.message import Message
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.calls import messages
from dynapages.calls.messages import Answer, post_message, read_answer

OK = b"HTTP/1.1 200 OK\r\n"
NAMES = st.sampled_from(["date", "server", "x-amz-crc32", "X-Amzn-RequestId", "via"])
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)
HEADERS = st.lists(st.tuples(NAMES, VALUES), max_size=5)
CONTENT = st.binary(max_size=300)


def read(message: bytes) -> Answer:
    return read_answer(BytesIO(message))


def chunked(content: bytes, sizes: list[int]) -> bytes:
    """Write a body in chunks of these sizes, and of the rest."""
    message = b""
    left = content
    for size in sizes:
        chunk, left = left[:size], left[size:]
        if chunk:
            message += b"%x;name=value\r\n%b\r\n" % (len(chunk), chunk)
    if left:
        message += b"%X\r\n%b\r\n" % (len(left), left)
    return message + b"0\r\nx-trailer: 1\r\n\r\n"


class _Connected:
    """Stands for a socket from which a message is read."""

    def __init__(self, message: bytes) -> None:
        self.message = message

    def makefile(self, _mode: str) -> BytesIO:
        return BytesIO(self.message)


def by_standard_library(message: bytes) -> tuple[int, bytes, dict[str, str], bool]:
    connected: Any = _Connected(message)
    response = HTTPResponse(connected, method="POST")
    response.begin()
    found: Message = response.headers
    assert isinstance(found, HTTPMessage)
    headers = {}
    for name in found:
        values = [value.strip() for value in found.get_all(name, [])]
        headers[name.lower()] = ", ".join(values)
    return response.status, response.read(), headers, response.will_close


class TestAnAnswer:
    @given(
        status=st.sampled_from([200, 204, 304, 400, 413, 500, 503]),
        version=st.sampled_from([b"HTTP/1.0", b"HTTP/1.1"]),
        reason=st.sampled_from([b"", b" ", b" OK", b" Not so good"]),
        headers=HEADERS,
        content=CONTENT,
        framing=st.sampled_from(["length", "chunks", "end"]),
        connection=st.sampled_from([b"", b"connection: close\r\n"]),
        sizes=st.lists(st.integers(1, 100), max_size=4),
    )
    def test_is_read_as_the_standard_library_reads_it(
        self, status, version, reason, headers, content, framing, connection, sizes
    ):
        message = b"%b %d%b\r\n" % (version, status, reason) + connection
        for name, value in headers:
            message += f"{name}:  {value} \r\n".encode()
        if status in {204, 304}:  # which have no body
            content, framing = b"", "end"
        if framing == "length":
            message += b"Content-Length: %d\r\n\r\n%b" % (len(content), content)
        elif framing == "chunks":
            message += b"Transfer-Encoding: chunked\r\n\r\n" + chunked(content, sizes)
        else:
            message += b"\r\n" + content
        answer = read(message)
        theirs = by_standard_library(message)
        assert (answer.status, answer.content, answer.headers, answer.is_last) == theirs

    def test_leaves_what_follows_it(self):
        stream = BytesIO(OK + b"content-length: 2\r\n\r\nab" + OK + b"content-length: 1\r\n\r\nc")
        assert [read_answer(stream).content, read_answer(stream).content] == [b"ab", b"c"]

    def test_may_be_announced_by_another(self):
        found = read(b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"content-length: 1\r\n\r\nx")
        assert (found.status, found.content) == (200, b"x")

    def test_may_have_a_header_twice(self):
        found = read(OK + b"Via: a\r\nvia: b\r\ncontent-length: 0\r\n\r\n")
        assert found.headers["via"] == "a, b"

    @given(content=CONTENT, sizes=st.lists(st.integers(1, 100), max_size=4), data=st.data())
    def test_that_is_cut_is_none(self, content, sizes, data):
        whole = OK + b"transfer-encoding: chunked\r\n\r\n" + chunked(content, sizes)
        length = data.draw(st.integers(0, len(whole) - 1))
        with pytest.raises(HTTPException):
            read(whole[:length])

    def test_that_is_shorter_than_it_says_is_none(self):
        with pytest.raises(IncompleteRead):
            read(OK + b"content-length: 3\r\n\r\nab")

    @pytest.mark.parametrize(
        "message",
        [
            b"\r\n" + OK + b"\r\n",
            b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
            b"HTTP/2 200\r\n\r\n",
            b"HTTP/1.1 2x0 OK\r\n\r\n",
            OK + b"no colon\r\n\r\n",
            OK + b": no name\r\n\r\n",
            OK + b"name : value\r\n\r\n",
            OK + b"name: value\r\n folded\r\n\r\n",
            OK + b"content-length: -1\r\n\r\n",
            OK + b"content-length: 1\r\ncontent-length: 2\r\n\r\nab",
            OK + b"content-length: " + b"9" * 5_000 + b"\r\n\r\n",
            OK + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            OK + b"transfer-encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n",
            OK + b"transfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        ],
    )
    def test_that_is_not_as_http_says_is_none(self, message):
        with pytest.raises(HTTPException):
            read(message)

    @pytest.mark.parametrize(
        "message",
        [
            OK + b"a: b\r\n" * (messages.MOST_HEADERS + 1) + b"\r\n",
            OK + b"a: " + b"b" * messages.LONGEST_LINE + b"\r\n\r\n",
            OK + b"content-length: %d\r\n\r\n" % (messages.LARGEST_CONTENT + 1),
            OK + b"transfer-encoding: chunked\r\n\r\nfffffffff\r\n",
        ],
    )
    def test_that_is_too_long_is_none(self, message):
        with pytest.raises(HTTPException, match="at most"):
            read(message)

    def test_without_a_length_is_too_long_as_well(self, monkeypatch):
        monkeypatch.setattr(messages, "LARGEST_CONTENT", 5)
        assert read(OK + b"\r\n12345").content == b"12345"
        with pytest.raises(HTTPException, match="at most"):
            read(OK + b"\r\n123456")


class TestARequest:
    def test_is_written_with_its_headers_and_its_body(self):
        found = post_message("/", {"host": "db", "content-length": "2"}, b"{}")
        assert found == b"POST / HTTP/1.1\r\nhost: db\r\ncontent-length: 2\r\n\r\n{}"

    @pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
    def test_has_no_header_within_another(self, end):
        with pytest.raises(ValueError, match="no line ends"):
            post_message("/", {"x-amz-security-token": f"a{end}b: c"}, b"")
        with pytest.raises(ValueError, match="no line ends"):
            post_message(f"/{end}", {}, b"")
