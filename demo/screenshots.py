"""Pictures of the sample shop for the README.

An engine in memory with the sample data, and the site, run while Chromium takes the pictures.
"""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from demo.processes import DemoConfig, DemoFailed, manage, serving
from dynamo.engine import EngineError, EngineServer

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAGE = "products/enamelled-frying-pan/"
SIZE = (1280, 1780)
NAMES = {"light": "screenshot.png", "dark": "screenshot-dark.png"}
"""Files, by the colour scheme the browser asks for."""
PREPARE = (("create_tables",), ("load_sample",))


class NoBrowser(EngineError):
    """Chromium is not installed."""

    def __init__(self) -> None:
        super().__init__("Chromium is not installed here: 'apt-get install chromium' or the like.")


def find_browser() -> str:
    """Return the path of a Chromium. Raises NoBrowser."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise NoBrowser
    return found


def take_screenshots(config: DemoConfig, engine: EngineServer, *, folder: Path) -> list[Path]:
    """Take pictures of a product's page in both colour schemes, and return the files.

    The engine is started and stopped here. Raises EngineError when a part fails.
    """
    browser = find_browser()
    folder.mkdir(parents=True, exist_ok=True)
    with engine:
        environment = {**config.environment, "DYNAMODB_ENDPOINT_URL": engine.endpoint_url}
        for command in PREPARE:
            if subprocess.run(manage(command), env=environment, check=False).returncode:
                sentence = f"'manage.py {' '.join(command)}' failed; see above."
                raise DemoFailed(sentence)
        with serving(replace(config, environment=environment)), sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser)
            return [_photograph(chromium, config.address, scheme, folder) for scheme in NAMES]


def _photograph(chromium: Browser, address: str, scheme: str, folder: Path) -> Path:
    width, height = SIZE
    page = chromium.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        locale="en-GB",
    )
    page.goto(address + PAGE)
    path = folder / NAMES[scheme]
    page.screenshot(path=path)
    page.close()
    return path
