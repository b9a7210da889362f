"""Takes the README's pictures; what ``make screenshot`` runs."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.core.management.utils import get_random_secret_key

from config.environment import variables as env
from demo.processes import Ground
from demo.screenshots import take_screenshots
from dynamo.engine import embedded
from dynamo.engine.ports import free_port
from dynamo.management.failures import failures_in_one_line


class Command(BaseCommand):
    """Opens the sample shop in memory, photographs a product, and closes it."""

    help = "Write docs/screenshot.png and docs/screenshot-dark.png. Needs Chromium."
    requires_system_checks = ()  # the commands it starts check, with the settings they are given

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the folder the pictures go to."""
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "docs")

    def handle(self, **options: Any) -> None:
        engine = embedded(folder=settings.BASE_DIR)
        with failures_in_one_line():
            pictures = take_screenshots(_ground(), engine, folder=options["folder"])
        for picture in pictures:
            size = round(picture.stat().st_size / 1000)
            self.stdout.write(f"{picture} ({size} kB)")


def _ground() -> Ground:
    """Nothing of the user's own settings may show in a picture, or reach their AWS account."""
    given = {
        name: value
        for name, value in env.current().values.items()
        if not name.startswith("AWS_")
        and name not in {"PAGE_SIZE", "STATIC_ROOT", "COMMENTS_READ_MODEL"}
    }
    return Ground(
        project=settings.BASE_DIR,
        var=settings.VAR_DIR,
        port=free_port(),
        environment={
            **given,
            "ALLOWED_HOSTS": "127.0.0.1",
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "DEBUG": "0",
            "DYNAMODB_TABLE_PREFIX": "screenshot-",
            "HTTPS": "0",
            "SECRET_KEY": get_random_secret_key(),
        },
        table_prefix="screenshot-",
        region=settings.AWS_REGION,
    )
