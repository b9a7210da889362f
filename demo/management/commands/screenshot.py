"""``manage.py screenshot``: the pictures of the README."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.core.management.utils import get_random_secret_key

from config.environment import variables as env
from demo.processes import SECLUDED, DemoConfig
from demo.screenshots import take_screenshots
from dynamo.engine import embedded
from dynamo.engine.ports import free_port
from dynamo.management.failures import failures_in_one_line


class Command(BaseCommand):
    """Opens the sample shop in memory, takes pictures of a product, and closes it."""

    help = "Write docs/screenshot.png and docs/screenshot-dark.png. Needs Chromium."
    requires_system_checks = ()  # the commands it starts check, with the settings they are given

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "docs")

    def handle(self, **options: Any) -> None:
        engine = embedded(folder=settings.BASE_DIR)
        with failures_in_one_line():
            pictures = take_screenshots(_config(), engine, folder=options["folder"])
        for picture in pictures:
            size = round(picture.stat().st_size / 1000)
            self.stdout.write(f"{picture} ({size} kB)")


def _config() -> DemoConfig:
    """Leave out the user's settings: they would show in a picture, or reach an AWS account."""
    given = {
        name: value
        for name, value in env.current().values.items()
        if not name.startswith("AWS_")
        and name not in {"PAGE_SIZE", "STATIC_ROOT", "COMMENTS_READ_MODEL"}
    }
    own = {"DYNAMODB_TABLE_PREFIX": "screenshot-", "SECRET_KEY": get_random_secret_key()}
    return DemoConfig(free_port(), {**given, **SECLUDED, **own})
