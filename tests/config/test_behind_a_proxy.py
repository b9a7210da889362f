"""HTTPS as visitors meet it when a proxy ends TLS and calls the site by http."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.project import PROJECT

ASK = """
import sys
from config.wsgi import application
from django.test import Client
for asked in sys.argv[1:]:
    path, _, scheme = asked.partition(" ")
    headers = {"X-Forwarded-Proto": scheme} if scheme else {}
    answer = Client().get(path, headers={**headers, "Host": "localhost"})
    print(answer.status_code, answer.headers.get("Strict-Transport-Security", ""))
"""


def ask(*asked: str, var: Path, **settings: str) -> list[str]:
    """What a site with these settings answers to requests that reach it by http.

    Each is a path and the scheme that a proxy says it was asked by, unless it says none.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:9",
        "SECRET_KEY": "k" * 50,
        "VAR_DIR": str(var),
        "HTTPS": "1",
        **settings,
    }
    answer = subprocess.run(
        [sys.executable, "-c", ASK, *asked],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [line.strip() for line in answer.stdout.splitlines()]


class TestTheSchemeOfAVisitor:
    def test_is_what_a_trusted_proxy_says_and_else_http_and_led_to_https(self, tmp_path):
        asked = ("/accounts/login/ https", "/accounts/login/ http", "/accounts/login/")
        answers = ask(*asked, var=tmp_path, TRUSTED_PROXIES="1")
        assert answers == [f"200 max-age={365 * 24 * 3600}", "301", "301"]

    def test_is_not_what_anybody_else_says_but_for_a_load_balancer_that_asks_for_health(
        self, tmp_path
    ):
        led, health = ask("/accounts/login/ https", "/healthz", var=tmp_path, TRUSTED_PROXIES="0")
        assert (led, health[:3]) == ("301", "200")
