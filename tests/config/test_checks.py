"""Wrong settings, as a user meets them: through manage.py and through a WSGI server."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.checks import CheckMessage

from config import checks
from tests.support.config.environments import settings_of
from tests.support.project import PROJECT

GOOD = {"SECRET_KEY": "k" * 50, "DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:9"}
WRONG = [
    ("SECRET_KEY", "", "config.E001"),
    ("DYNAMODB_ENDPOINT_URL", "localhost:8001", "config.E002"),
    ("PAGE_SIZE", "0", "config.E003"),
    ("DEBUG", "maybe", "config.E004"),
    ("HTTPS", "maybe", "config.E005"),
    ("DYNAMODB_TABLE_PREFIX", "my shop", "config.E006"),
    ("AWS_REGION", "mars", "config.E007"),
    ("ALLOWED_HOSTS", "https://shop.example.com", "config.E008"),
    ("STATIC_ROOT", "/nowhere", "config.E009"),
    ("ORDER_SHARDS", "0", "config.E010"),
    ("COUNTER_SHARDS", "65", "config.E034"),
    ("TRUSTED_PROXIES", "-1", "config.E011"),
    ("EMAIL_PORT", "smtp", "config.E012"),
    ("STAFF_SECOND_FACTOR", "maybe", "config.E053"),
    ("SITE_URL", "shop.example.com", "config.E051"),
    ("EMAIL_USE_TLS", "maybe", "config.E013"),
    ("RANK_SHARDS", "65", "config.E015"),
    ("EDGE_SHARDS", "0", "config.E026"),
    ("COMMENTS_READ_MODEL", "tables", "config.E018"),
    ("COMMENT_SETS_KEY_FORMAT", "numbers", "config.E019"),
    ("PAGES_AT_ONCE", "1", "config.E043"),
    ("LOG_FORMAT", "xml", "config.E070"),
    ("REQUEST_LOG", "maybe", "config.E071"),
    ("OPENTELEMETRY", "maybe", "config.E072"),
]
"""Variables with a wrong value, and the checks that name them."""


def run(*command: str, var: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "VAR_DIR": str(var), **settings}
    return subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class TestManagePy:
    def test_names_every_wrong_setting_in_a_line(self, tmp_path: Path) -> None:
        wrong = {name: value for name, value, _ in WRONG}
        result = run("manage.py", "check", var=tmp_path, **(GOOD | wrong))
        assert result.returncode == 1
        named = [f"({code}) {name} " for name, _, code in WRONG]
        assert [line for line in named if line not in result.stderr] == []
        assert "Traceback" not in result.stderr


@pytest.fixture
def checked(tmp_path, monkeypatch) -> Callable[..., list[CheckMessage]]:
    """What the checks say of an environment."""

    def check(var: Path = tmp_path, **environment: str) -> list[CheckMessage]:
        monkeypatch.setattr(checks, "settings", SimpleNamespace(**settings_of(var, **environment)))
        return checks.check_settings(None)

    return check


def test_good_settings_are_accepted(checked):
    assert checked(**GOOD) == []


def test_letters_need_the_address_of_the_site(checked):
    (message,) = checked(**GOOD, EMAIL_HOST="mail.example.com")
    assert message.id == "config.E052"
    assert checked(**GOOD, EMAIL_HOST="mail.example.com", SITE_URL="https://shop.example.com") == []


class TestTheSecretKey:
    def test_needs_a_folder_that_can_keep_it(self, tmp_path, checked):
        (tmp_path / "file").touch()
        wanting = GOOD | {"SECRET_KEY": "", "DEBUG": "1"}
        messages = {one.id: one for one in checked(tmp_path / "file" / "var", **wanting)}
        assert messages["config.E014"].is_serious()
        assert messages["config.E014"].msg.startswith("VAR_DIR is ")

    def test_is_warned_of_when_it_is_short(self, checked):
        (message,) = checked(**(GOOD | {"SECRET_KEY": "short"}))
        assert (message.id, message.is_serious()) == ("config.W001", False)

    def test_is_made_for_development(self, tmp_path, checked):
        assert checked(**(GOOD | {"SECRET_KEY": "", "DEBUG": "1"})) == []
        assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


class TestWsgi:
    def test_ends_with_one_line_for_each_wrong_setting(self, tmp_path: Path) -> None:
        wrong = {"SECRET_KEY": "", "PAGE_SIZE": "none"}
        result = run("-c", "import config.wsgi", var=tmp_path, **(GOOD | wrong))
        assert result.returncode != 0
        assert [line.split(":")[0] for line in result.stderr.splitlines()] == [
            "config.E001",
            "config.E003",
        ]


FIT = {**GOOD, "ALLOWED_HOSTS": "shop.example.com", "HTTPS": "1", "EMAIL_HOST": "mail.example"}
"""Settings of a site that others can reach."""


class TestADeployment:
    def check(self, var: Path, **changed: str) -> str:
        return run("manage.py", "check", "--deploy", var=var, **(FIT | changed)).stderr

    @pytest.mark.parametrize(
        ("changed", "code"),
        [
            ({"ALLOWED_HOSTS": "*"}, "config.E060"),
            ({"SECRET_KEY": "short"}, "config.E061"),
            ({"DEBUG": "1"}, "config.E062"),
            ({"EMAIL_HOST": ""}, "config.E063"),
        ],
    )
    def test_is_refused_what_would_be_open(
        self, tmp_path: Path, changed: dict[str, str], code: str
    ) -> None:
        assert f"({code})" in self.check(tmp_path, **changed)
        assert f"({code})" not in self.check(tmp_path)
