"""What the security log says, as the members of its lines."""

import json
from typing import Any

import pytest


def events(caplog: pytest.LogCaptureFixture, kind: str = "") -> list[dict[str, Any]]:
    """The events that were logged, all or those of a kind."""
    lines = [json.loads(each.message) for each in caplog.records if each.name == "security"]
    return [line for line in lines if not kind or line["event"] == kind]
