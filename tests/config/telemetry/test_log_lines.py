"""Lines of the log, of requests that are refused and of others."""

import json
import logging
import sys
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import ResolverMatch

from config.telemetry.log_lines import JsonLines
from tests.support.config.environments import run_python
from tests.support.config.logs import written_log

pytestmark = pytest.mark.newest


@pytest.fixture
def stderr():
    with written_log(requests=False) as written:
        yield written


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
    def test_is_one_line_of_warning(self, stderr, request_of):
        assert request_of(Client()).status_code == 400
        (line,) = stderr.getvalue().splitlines()
        assert " WARNING django." in line


def named(path: str, view: str | None) -> str:
    """What Django's line of a path becomes."""
    request = HttpRequest()
    request.path = path
    request.resolver_match = ResolverMatch(named, (), {}, url_name=view) if view else None
    with written_log() as written:
        logging.getLogger("django.request").error(
            "%s: %s", "Not Found", path, extra={"status_code": 404, "request": request}
        )
    return written.getvalue().strip().partition(": ")[2]


class TestDjangosLineOfARequest:
    def test_names_the_view_and_not_the_path(self):
        assert named("/users/alice/", "profile") == "Not Found: profile"

    def test_names_no_path_where_there_is_no_view(self):
        assert named("/alice@example.com", None) == "Not Found: no view"


def formatted(message: str, *args: object, **more: Any) -> dict[str, Any]:
    record = logging.LogRecord("shop", logging.WARNING, "", 1, message, args, more.pop("exc", None))
    record.__dict__.update(more)
    line = JsonLines().format(record)
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


class TestALineOfJson:
    def test_has_the_message(self):
        line = formatted("%d wait\nto be sent", 3)
        assert line["message"] == "3 wait\nto be sent"
        assert (line["level"], line["logger"]) == ("WARNING", "shop")
        assert line["time"].endswith("+00:00")

    def test_has_the_fields_of_a_record_in_place_of_its_message(self):
        line = formatted("event=sign-in", fields={"event": "sign-in"})
        assert line["event"] == "sign-in"
        assert "message" not in line

    def test_has_a_traceback(self):
        try:
            int("wrong")
        except ValueError:
            line = formatted("It failed", exc=sys.exc_info())
        assert line["exception"].startswith("Traceback")
        assert line["exception"].endswith("'wrong'")


GUNICORN_SAYS = """
import runpy
from gunicorn.config import Config
from gunicorn.glogging import Logger

config = Config()
for name, value in runpy.run_path("deploy/gunicorn.conf.py").items():
    if name in config.settings:
        config.set(name, value)
Logger(config).info("Booting worker with pid: %d", 7)
"""


class TestALineOfGunicorn:
    def test_is_json_where_those_of_the_site_are(self):
        (line,) = run_python("-c", GUNICORN_SAYS, LOG_FORMAT="json").stderr.splitlines()
        said = json.loads(line)
        assert said["message"] == "Booting worker with pid: 7"
        assert (said["level"], said["logger"]) == ("INFO", "gunicorn.error")

    def test_is_gunicorns_own_otherwise(self):
        (line,) = run_python("-c", GUNICORN_SAYS).stderr.splitlines()
        assert line.endswith(" [INFO] Booting worker with pid: 7")
