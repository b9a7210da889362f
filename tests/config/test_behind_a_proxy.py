"""HTTPS as visitors meet it when a proxy ends TLS and calls the site by http."""

import pytest
from django.test import Client

from tests.support.config.environments import settings_of

SITE = {"SECRET_KEY": "k" * 50, "HTTPS": "1"}


@pytest.fixture
def ask(tmp_path, settings):
    """Asks a site that trusts some proxies, by http; a proxy may say another scheme."""

    def ask(path: str, scheme: str | None = None, *, proxies: int) -> tuple[int, str]:
        for name, value in settings_of(tmp_path, TRUSTED_PROXIES=str(proxies), **SITE).items():
            if name.startswith("SECURE_") or name == "ALLOWED_HOSTS":
                setattr(settings, name, value)
        headers = {"X-Forwarded-Proto": scheme} if scheme else {}
        answer = Client().get(path, headers={**headers, "Host": "localhost"})
        return answer.status_code, answer.headers.get("Strict-Transport-Security", "")

    return ask


class TestTheSchemeOfAVisitor:
    def test_is_what_a_trusted_proxy_says(self, ask):
        answer = ask("/accounts/login/", "https", proxies=1)
        assert answer == (200, f"max-age={365 * 24 * 3600}")

    @pytest.mark.parametrize("scheme", ["http", None])
    def test_is_else_http_and_led_to_https(self, ask, scheme):
        assert ask("/accounts/login/", scheme, proxies=1) == (301, "")

    def test_is_not_what_anybody_else_says(self, ask):
        assert ask("/accounts/login/", "https", proxies=0) == (301, "")

    def test_is_not_asked_of_a_load_balancer_that_asks_for_health(self, ask):
        assert ask("/healthz", proxies=0)[0] == 200
