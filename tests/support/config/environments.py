"""What config/settings.py makes of an environment, in this process or in one of its own."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.engine_plugin import PATIENCE
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


def open_api_to(settings: Any, var: Path, origin: str) -> None:
    """Have the fixture ``settings`` be as where API_ORIGINS names one origin."""
    chosen = settings_of(var, DEBUG="1", API_ORIGINS=origin)
    for name in chosen:
        if name.startswith("CORS_") or name in {"MIDDLEWARE", "INSTALLED_APPS"}:
            setattr(settings, name, chosen[name])


def run_python(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the project's folder with these variables and no others but the path."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
