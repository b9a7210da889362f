"""Pictures of the sample shop for the README.

An engine in memory, the sample data and the site live for as long as it takes to photograph a
page in Chromium; nothing of them stays.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from demo.processes import SITE_START_SECONDS, DemoFailed, Ground
from dynamo.engine import EngineError, EngineServer
from dynamo.engine.child import Child
from dynamo.engine.server import answers

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAGE = "products/enamelled-frying-pan/"
SIZE = (1280, 1780)
NAMES = {"light": "screenshot.png", "dark": "screenshot-dark.png"}
"""Files, by the colour scheme the browser asks for."""
PREPARE = (("create_tables",), ("load_sample",))
POLL_SECONDS = 0.1


class NoBrowser(EngineError):
    """There is nothing here to take a picture with."""

    def __init__(self) -> None:
        super().__init__("Chromium is not installed here: 'apt-get install chromium' or the like.")


def find_browser() -> str:
    """Give the path of a Chromium. Raises NoBrowser."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise NoBrowser
    return found


def take_screenshots(ground: Ground, engine: EngineServer, *, folder: Path) -> list[Path]:
    """Photograph a product's page in both colour schemes; give the files.

    The engine is started and stopped here. Raises EngineError when a part fails.
    """
    browser = find_browser()
    folder.mkdir(parents=True, exist_ok=True)
    with engine:
        environment = {**ground.environment, "DYNAMODB_ENDPOINT_URL": engine.endpoint_url}
        for command in PREPARE:
            if subprocess.run(ground.manage(command), env=environment, check=False).returncode:
                sentence = f"'manage.py {' '.join(command)}' failed; see above."
                raise DemoFailed(sentence)
        with _site(ground, environment), sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser)
            return [_photograph(chromium, ground.address, scheme, folder) for scheme in NAMES]


@contextmanager
def _site(ground: Ground, environment: Mapping[str, str]) -> Iterator[None]:
    site = Child(ground.gunicorn(), env=environment)
    try:
        deadline = time.monotonic() + SITE_START_SECONDS
        while not answers(ground.port, path="/healthz"):
            if time.monotonic() > deadline or site.exit_code is not None:
                sentence = "The web server did not start."
                raise DemoFailed(sentence)
            time.sleep(POLL_SECONDS)
        yield
    finally:
        site.stop()


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
