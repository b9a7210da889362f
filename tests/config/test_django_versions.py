"""The settings that are called otherwise in another Django: the same in each."""

from pathlib import Path

import django
import pytest
from django.core import mail
from django.test import override_settings

from config import django_versions
from tests.support.config.environments import settings_of

pytestmark = pytest.mark.newest

SECRET = {"SECRET_KEY": "k" * 50}
WITH_A_SERVER = SECRET | {
    "EMAIL_HOST": "mail.example.com",
    "EMAIL_PORT": "2525",
    "EMAIL_HOST_USER": "shop",
    "EMAIL_HOST_PASSWORD": "open",
    "EMAIL_USE_TLS": "0",
    "SITE_URL": "https://shop.example.com",
}


class TestThePolicyForScripts:
    @pytest.mark.parametrize("path", ["/healthz", "/no/such/page/", "/accounts/login/"])
    def test_is_the_same_with_every_django(self, client, path):
        # Their order tells a browser nothing; that of django-csp differs in each process.
        directives = client.get(path)["Content-Security-Policy"].split("; ")
        assert sorted(directives) == [
            "base-uri 'none'",
            "default-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "img-src 'self' data:",
            "object-src 'none'",
        ]

    def test_comes_from_django_where_it_has_one(self):
        of_django = django_versions.POLICY_MIDDLEWARE.startswith("django.")
        assert of_django == (django.VERSION >= (6, 0))


class TestEmails:
    def backend(self, var: Path, **environment: str) -> object:
        found = settings_of(var, **environment)
        former = {name: value for name, value in found.items() if name.startswith("EMAIL_")}
        with override_settings(**(former or {"MAILERS": found["MAILERS"]})):
            return mail.get_connection() if former else mail.mailers.default

    def test_go_to_the_mail_server(self, tmp_path):
        backend = vars(self.backend(tmp_path, **WITH_A_SERVER))
        wanted = {
            "host": "mail.example.com",
            "port": 2525,
            "username": "shop",
            "password": "open",
            "use_tls": False,
            "timeout": 10,
        }
        assert {name: backend[name] for name in wanted} == wanted

    def test_are_printed_without_one(self, tmp_path):
        assert self.backend(tmp_path, **SECRET).__module__ == "django.core.mail.backends.console"
