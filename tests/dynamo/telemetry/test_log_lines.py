"""What the log tells of requests that are refused."""

import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client


@pytest.fixture
def stderr() -> Iterator[io.StringIO]:
    """What the site's own handler writes."""
    handler = logging.getLogger("django").handlers[0]  # pytest adds its own behind
    assert isinstance(handler, logging.StreamHandler)
    written = io.StringIO()
    before = handler.setStream(written)
    yield written
    if before is not None:
        handler.setStream(before)


class TestARequestThatIsRefused:
    @pytest.mark.parametrize(
        "request_of",
        [
            lambda browser: browser.get("/healthz", HTTP_HOST="evil.example"),
            lambda browser: browser.post(
                "/accounts/login/", b"x", content_type="multipart/form-data; boundary="
            ),
            lambda browser: browser.post(
                "/accounts/login/",
                "&".join(f"a{n}=1" for n in range(1_100)),
                content_type="application/x-www-form-urlencoded",
            ),
        ],
        ids=["a wrong host", "a wrong body", "too many fields"],
    )
    def test_is_one_line_of_warning(
        self, stderr: io.StringIO, request_of: Callable[[Client], Any]
    ) -> None:
        assert request_of(Client()).status_code == 400
        (line,) = stderr.getvalue().splitlines()
        assert " WARNING django." in line
