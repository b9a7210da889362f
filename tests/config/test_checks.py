"""Wrong settings, as a user meets them: through manage.py and through a WSGI server."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.checks import CheckMessage

from config import checks
from tests.support.config.environments import run_python, settings_of

pytestmark = pytest.mark.newest

GOOD = {"SECRET_KEY": "k" * 50, "DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:9"}
WRONG = [
    ("SECRET_KEY", ""),
    ("DYNAMODB_ENDPOINT_URL", "localhost:8001"),
    ("PAGE_SIZE", "0"),
    ("DEBUG", "maybe"),
    ("HTTPS", "maybe"),
    ("DYNAMODB_TABLE_PREFIX", "my shop"),
    ("AWS_REGION", "mars"),
    ("ALLOWED_HOSTS", "https://shop.example.com"),
    ("STATIC_ROOT", "/nowhere"),
    ("ORDER_SHARDS", "0"),
    ("COUNTER_SHARDS", "65"),
    ("TRUSTED_PROXIES", "-1"),
    ("EMAIL_PORT", "smtp"),
    ("REQUIRE_STAFF_2FA", "maybe"),
    ("SITE_URL", "shop.example.com"),
    ("SITE_COUNTRY", "Portugal"),
    ("EMAIL_USE_TLS", "maybe"),
    ("COMMENTS_READ_MODEL", "tables"),
    ("COMMENT_SETS_KEY_FORMAT", "numbers"),
    ("MAX_CONCURRENT_REQUESTS", "1"),
    ("LOG_FORMAT", "xml"),
    ("REQUEST_LOG", "maybe"),
    ("OPENTELEMETRY", "maybe"),
]
"""Variables with a wrong value; a check of the same name tells of each."""


class TestManagePy:
    def test_names_every_wrong_setting_in_a_line(self, tmp_path):
        wrong = dict(WRONG)
        result = run_python("manage.py", "check", VAR_DIR=str(tmp_path), **(GOOD | wrong))
        assert result.returncode == 1
        named = [f"(config.{name}) {name} " for name in wrong]
        assert [line for line in named if line not in result.stderr] == []
        assert "Traceback" not in result.stderr


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """What the checks say of an environment."""

    def check(var: Path = tmp_path, **environment: str) -> list[CheckMessage]:
        monkeypatch.setattr(checks, "settings", SimpleNamespace(**settings_of(var, **environment)))
        return checks.check_settings(None)

    return check


def test_good_settings_are_accepted(checked):
    assert checked(**GOOD) == []


def test_emails_need_the_address_of_the_site(checked):
    (message,) = checked(**GOOD, EMAIL_HOST="mail.example.com")
    assert message.id == "config.SITE_URL"
    assert checked(**GOOD, EMAIL_HOST="mail.example.com", SITE_URL="https://shop.example.com") == []


class TestTheSecretKey:
    def test_needs_a_folder_that_can_keep_it(self, tmp_path, checked):
        (tmp_path / "file").touch()
        wanting = GOOD | {"SECRET_KEY": "", "DEBUG": "1"}
        messages = {one.id: one for one in checked(tmp_path / "file" / "var", **wanting)}
        assert messages["config.VAR_DIR"].is_serious()
        assert messages["config.VAR_DIR"].msg.startswith("VAR_DIR is ")

    def test_is_warned_of_when_it_is_short(self, checked):
        (message,) = checked(**(GOOD | {"SECRET_KEY": "short"}))
        assert (message.id, message.is_serious()) == ("config.SECRET_KEY", False)

    def test_is_made_for_development(self, tmp_path, checked):
        assert checked(**(GOOD | {"SECRET_KEY": "", "DEBUG": "1"})) == []
        assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


class TestWsgi:
    def test_ends_with_one_line_for_each_wrong_setting(self, tmp_path):
        wrong = {"SECRET_KEY": "", "PAGE_SIZE": "none"}
        result = run_python("-c", "import config.wsgi", VAR_DIR=str(tmp_path), **(GOOD | wrong))
        assert result.returncode != 0
        assert [line.split(":")[0] for line in result.stderr.splitlines()] == [
            "config.SECRET_KEY",
            "config.PAGE_SIZE",
        ]


FIT = {**GOOD, "ALLOWED_HOSTS": "shop.example.com", "HTTPS": "1", "EMAIL_HOST": "mail.example"}
"""Settings of a site that others can reach."""


class TestADeployment:
    @pytest.mark.parametrize(
        "changed",
        [{}, {"DEBUG": "1"}, {"ALLOWED_HOSTS": "*", "SECRET_KEY": "short", "EMAIL_HOST": ""}],
        ids=["nothing", "debug", "others"],
    )
    def test_is_refused_what_would_be_open(self, tmp_path, changed):
        environment = FIT | changed | {"VAR_DIR": str(tmp_path)}
        said = run_python("manage.py", "check", "--deploy", **environment).stderr
        assert {*re.findall(r"\(config\.deploy\.(\w+)\)", said)} == changed.keys()
