"""A changed SECRET_KEY: what visitors hold of the old one is good while that is a fallback."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.project import PROJECT

SIGN = """
import config.wsgi
from django.core import signing
from dynamo.web.signing import PositionSigner
print(PositionSigner().sign("position"), signing.dumps("session"))
"""
UNSIGN = """
import config.wsgi, sys
from django.core import signing
from dynamo.web.signing import PositionSigner
print(PositionSigner().unsign(sys.argv[1]), signing.loads(sys.argv[2]))
"""
OLD, NEW = "o" * 50, "n" * 50


def run(
    code: str, *arguments: str, var: Path, **settings: str
) -> "subprocess.CompletedProcess[str]":
    environment = {
        "PATH": os.environ["PATH"],
        "DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:9",
        "VAR_DIR": str(var),
        **settings,
    }
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class TestWhatTheOldKeySigned:
    def test_is_good_while_it_is_a_fallback_and_refused_otherwise(self, tmp_path):
        signed = run(SIGN, var=tmp_path, SECRET_KEY=OLD).stdout.split()
        fallbacks = f"{'x' * 50}, {OLD}"
        read = run(UNSIGN, *signed, var=tmp_path, SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=fallbacks)
        assert read.stdout.split() == ["position", "session"]
        read = run(UNSIGN, *signed, var=tmp_path, SECRET_KEY=NEW)
        assert read.returncode != 0
        assert "BadSignature" in read.stderr
