"""What config/settings.py makes of an environment, without a process of its own."""

import os
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.support.project import PROJECT


def settings_of(var: Path, **environment: str) -> dict[str, Any]:
    """The settings of a site with these variables and no others."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            patch.delenv(name)
        for name, value in {"VAR_DIR": str(var), **environment}.items():
            patch.setenv(name, value)
        found = runpy.run_path(str(PROJECT / "config" / "settings.py"))
    return {name: value for name, value in found.items() if name.isupper()}
