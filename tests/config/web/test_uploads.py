"""No form takes files, so none is read."""

from io import BytesIO

import pytest
from django.test import Client

pytestmark = pytest.mark.newest

A_PIECE = 64 * 1024
PART = 'Content-Disposition: form-data; name="{}"{}\r\n\r\n'


def sent(beginning: str) -> BytesIO:
    """A body that goes on for much longer than a form."""
    return BytesIO(beginning.encode().ljust(4_000_000, b"x"))


def status_of(body: BytesIO, *, kind: str = "multipart/form-data; boundary=b") -> int:
    extra = {"wsgi.input": body, "CONTENT_LENGTH": "4000000"}
    browser = Client(enforce_csrf_checks=True)
    browser.get("/form-token/")  # without its cookie nothing is read
    return browser.generic("POST", "/basket/remove/", b"x", kind, **extra).status_code


class TestAFile:
    @pytest.mark.parametrize("before", ["", f"--b\r\n{PART.format('product_id', '')}lamp\r\n"])
    def test_is_refused_when_it_begins(self, before):
        body = sent(f"{before}--b\r\n{PART.format('f', '; filename=f')}")
        assert status_of(body) == 400
        assert body.tell() <= 2 * A_PIECE


class TestAForm:
    @pytest.mark.parametrize("kind", ["multipart/form-data; boundary=b", None])
    def test_that_is_long_is_not_read_to_its_end(self, kind):
        body = sent(f"--b\r\n{PART.format('text', '')}")
        assert status_of(body, kind=kind or "application/x-www-form-urlencoded") == 400
        assert body.tell() <= 10 * A_PIECE
