"""``manage.py package_lambda``: the zip file of the function that makes the copies of comments."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.infrastructure.lambda_zip import MIB, CannotPack, write_zip


class Command(BaseCommand):
    """Packs this checkout, and what it needs, for AWS Lambda."""

    help = (
        "Write the zip file of the AWS Lambda function that makes the copies of comments, of this "
        "checkout and the installed requirements. Calls no database, and needs no network"
    )
    requires_system_checks = ()  # it is packed wherever, for a function with settings of its own

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--output",
            type=Path,
            metavar="FILE",
            help="where to write it (default: lambda.zip in VAR_DIR)",
        )

    def handle(self, **options: Any) -> None:
        path: Path = options["output"] or settings.VAR_DIR / "lambda.zip"
        draft = path.with_name(f"{path.name}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as target:
                packed = write_zip(target, project=settings.BASE_DIR)
            draft.replace(path)
        except (CannotPack, OSError) as error:
            raise CommandError(str(error)) from error
        finally:
            draft.unlink(missing_ok=True)
        self.stdout.write(
            f"{path}: {packed.zipped / MIB:.1f} MiB zipped, {packed.unzipped / MIB:.1f} MiB "
            f"unzipped, {packed.files:,} files. Handler: comments.sets.handler.handler"
        )
