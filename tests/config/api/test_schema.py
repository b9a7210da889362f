"""The API keeps what its schema says: requests that are made of it, by the thousand."""

import subprocess
import sys
from pathlib import Path

import pytest

from dynapages.calls import clock
from dynapages.django.callers import Scope
from shop.api_keys.services import create_key
from tests.support.config.lists import listed_shop

pytestmark = [pytest.mark.usefixtures("tables", "wide_limits"), pytest.mark.slow]
SEED = 1


class TestTheSchema:
    @pytest.mark.parametrize(("has_key", "seconds"), [(True, 60), (False, 20)])
    def test_is_kept_by_every_operation(self, address, tmp_path, has_key, seconds):
        owner = listed_shop().arguments["username"]
        headers = []
        if has_key:
            _key, text = create_key(name="t", scope=Scope.STAFF, username=owner, now=clock.now())
            headers = ["--header", f"Authorization: Bearer {text}"]
        command = [
            *(sys.executable, "-m", "schemathesis.cli"),
            *("--config-file", Path(__file__).with_name("schemathesis.toml")),
            *("run", f"{address}/api/v1/openapi.json", *headers),
            *("--max-time", str(seconds), "--seed", str(SEED), "--continue-on-failure"),
            "--no-color",
        ]
        ended = subprocess.run(
            [*map(str, command)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout
