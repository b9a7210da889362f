"""Headers and cookies that keep a page to itself."""

import pytest
from django.conf import settings

from dynapages.calls import metered
from tests.support.comments.writers import made_product
from tests.support.config.environments import settings_of

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


class TestEveryAnswer:
    @pytest.mark.parametrize("path", ["/", "/healthz", "/no/such/page/", "/accounts/login/"])
    def test_asks_for_no_power_but_the_place(self, client, path):
        powers = client.get(path)["Permissions-Policy"]
        assert "geolocation=(self)" in powers
        assert "camera=()" in powers

    def test_has_a_window_of_its_own(self, client):
        assert client.get("/")["Cross-Origin-Opener-Policy"] == "same-origin"


class TestCookies:
    def test_are_of_this_host_alone_under_https(self, tmp_path):
        secure = settings_of(tmp_path, SECRET_KEY="k" * 50, HTTPS="1")
        assert secure["SESSION_COOKIE_NAME"] == "__Host-sessionid"
        assert secure["CSRF_COOKIE_NAME"] == "__Host-csrftoken"
        assert secure["SESSION_COOKIE_SECURE"]
        assert settings.SESSION_COOKIE_NAME == "sessionid"


class TestATokenOfAPage:
    @pytest.mark.parametrize("path", ["/products/{}/", "/products/{}/comments/~/~/"])
    def test_is_checked_before_anything_is_read(self, client, path):
        product = made_product()
        with metered() as meter:
            assert client.get(path.format(product), {"after": "forged"}).status_code == 400
        assert meter.log == []
