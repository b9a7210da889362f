"""``manage.py screenshot``: the pictures of the README.

An engine in memory with the sample data, and the site, run while Chromium takes the pictures.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.core.management.utils import get_random_secret_key
from playwright.sync_api import Browser, sync_playwright

from config.environment import variables as env
from demo.processes import SECLUDED, DemoConfig, DemoFailed, manage, serving
from dynamo.engine import EngineError, embedded
from dynamo.engine.ports import free_port
from dynamo.management.failures import failures_in_one_line

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "chromium-headless-shell")
PRODUCT = "products/enamelled-frying-pan/"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in ``name``.png of a page, as it is on a screen of this size in CSS pixels."""

    name: str
    page: str = PRODUCT
    size: tuple[int, int] = (1280, 1780)
    scheme: Literal["light", "dark"] = "light"


PICTURES = (
    Picture("screenshot"),
    Picture("screenshot-dark", scheme="dark"),
    Picture("screenshot-phone", page=f"{PRODUCT}comments/~/1.2/", size=(390, 844)),
)
PREPARE = (("create_tables",), ("load_sample",))


class NoBrowser(EngineError):
    """Chromium is not installed."""

    def __init__(self) -> None:
        super().__init__("Chromium is not installed here: 'apt-get install chromium' or the like.")


class Command(BaseCommand):
    """Opens the sample shop in memory, takes pictures of a product, and closes it."""

    help = "Write docs/screenshot.png, a dark one and one of a phone. Needs Chromium."
    requires_system_checks = ()  # the commands it starts check, with the settings they are given

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "docs")

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            pictures = _take_pictures(options["folder"])
        for picture in pictures:
            size = round(picture.stat().st_size / 1000)
            self.stdout.write(f"{picture} ({size} kB)")


def _take_pictures(folder: Path) -> list[Path]:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise NoBrowser
    folder.mkdir(parents=True, exist_ok=True)
    with embedded(folder=settings.BASE_DIR) as engine:
        config = _config(engine.endpoint_url)
        for command in PREPARE:
            if subprocess.run(manage(command), env=config.environment, check=False).returncode:
                sentence = f"'manage.py {' '.join(command)}' failed; see above."
                raise DemoFailed(sentence)
        with serving(config), sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser)
            return [_photograph(chromium, config.address, one, folder) for one in PICTURES]


def _config(endpoint_url: str) -> DemoConfig:
    """Leave out the user's settings: they would show in a picture, or reach an AWS account."""
    given = {
        name: value
        for name, value in env.current().values.items()
        if not name.startswith("AWS_")
        and name not in {"PAGE_SIZE", "STATIC_ROOT", "COMMENTS_READ_MODEL"}
    }
    own = {
        "DYNAMODB_ENDPOINT_URL": endpoint_url,
        "DYNAMODB_TABLE_PREFIX": "screenshot-",
        "SECRET_KEY": get_random_secret_key(),
    }
    return DemoConfig(free_port(), {**given, **SECLUDED, **own})


def _photograph(chromium: Browser, address: str, picture: Picture, folder: Path) -> Path:
    width, height = picture.size
    page = chromium.new_page(
        viewport={"width": width, "height": height}, color_scheme=picture.scheme, locale="en-GB"
    )
    page.goto(address + picture.page)
    path = folder / f"{picture.name}.png"
    page.screenshot(path=path)
    page.close()
    return path
