"""HTTPS as visitors meet it when a proxy ends TLS and calls the site by http."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import PROJECT

ASK = """
import sys
from config.wsgi import application
from django.test import Client
headers = {"X-Forwarded-Proto": sys.argv[2]} if sys.argv[2] else {}
answer = Client().get(sys.argv[1], headers={**headers, "Host": "localhost"})
print(answer.status_code, answer.headers.get("Strict-Transport-Security", ""))
"""


def ask(path: str, *, forwarded: str, var: Path, **settings: str) -> str:
    """What a site with these settings answers to a request that reaches it by http."""
    environment = {
        "PATH": os.environ["PATH"],
        "DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:9",
        "SECRET_KEY": "k" * 50,
        "VAR_DIR": str(var),
        **settings,
    }
    return subprocess.run(
        [sys.executable, "-c", ASK, path, forwarded],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout.strip()


class TestTheSchemeOfAVisitor:
    def test_is_what_a_trusted_proxy_says(self, tmp_path):
        answer = ask(
            "/accounts/login/", forwarded="https", var=tmp_path, HTTPS="1", TRUSTED_PROXIES="1"
        )
        assert answer == f"200 max-age={365 * 24 * 3600}"

    @pytest.mark.parametrize(("forwarded", "proxies"), [("http", "1"), ("", "1"), ("https", "0")])
    def test_is_http_otherwise_and_led_to_https(self, tmp_path, forwarded, proxies):
        answer = ask(
            "/accounts/login/",
            forwarded=forwarded,
            var=tmp_path,
            HTTPS="1",
            TRUSTED_PROXIES=proxies,
        )
        assert answer == "301"

    def test_does_not_matter_to_a_load_balancer_that_asks_for_health(self, tmp_path):
        assert ask("/healthz", forwarded="", var=tmp_path, HTTPS="1").startswith("200")
