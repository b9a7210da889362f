"""``manage.py export_comments``: comments to a file of CSV, JSON lines, or Google's feed."""

from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import CommandError, CommandParser

from comments.data.exports import GOOGLE, GoogleFeed, walk_through
from comments.data.shapes import FIELDS
from comments.host import products
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.files.export_command import add_export_options, run_export
from dynapages.files.exports import FORMATS, Layout
from dynapages.files.import_command import BAD_USAGE


class Command(TableCommand):
    """Writes a file; exits with 1 when DynamoDB failed, with 2 when it cannot begin."""

    help = (
        "Export the comments of a product, newest first, or of all products, by a Scan of the "
        "whole table. import_comments reads the file and makes the same items of it, that of the "
        "format google-xml with --preset google. With --output an interrupted export goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--product", metavar="ID", help="only the comments on this product")
        parser.add_argument(
            "--hidden",
            action="store_true",
            help="also the comments that are hidden or held, which an import brings as such",
        )
        add_export_options(parser, formats=(*FORMATS, GOOGLE))
        parser.add_argument(
            "--site", metavar="URL", help="the address of the site, which Google's feed links to"
        )
        parser.add_argument(
            "--publisher", metavar="NAME", help="the name of the shop in Google's feed"
        )

    def handle(self, **options: Any) -> None:
        product_id = options["product"]
        layout = _layout(options)
        with failures_in_one_line():
            if product_id is not None and not products().names([product_id]):
                raise CommandError(f"There is no product “{product_id}”.", returncode=BAD_USAGE)
        about = {
            "comments": product_id,
            "site": options["site"],
            "hidden": options["hidden"],
        }
        walk = walk_through(product_id, with_withheld=options["hidden"])
        run_export(self, options, layout, walk, about=about)


def _layout(options: dict[str, Any]) -> Layout:
    """Return how rows become text. Raises CommandError for options that do not go together."""
    if options["hidden"] and options["format"] == GOOGLE:
        message = "Google's feed is of what everybody sees: leave out --hidden."
        raise CommandError(message, returncode=BAD_USAGE)
    if options["hidden"] and options["product"] is not None:
        message = "Hidden comments are in no list of a product: leave out --product, or --hidden."
        raise CommandError(message, returncode=BAD_USAGE)
    if options["format"] != GOOGLE:
        columns = [name for name in FIELDS if name != "state" or options["hidden"]]
        return Layout(options["format"], tuple(columns))
    if options["product"] is not None:
        message = "Google's feed has to be complete: leave out --product."
        raise CommandError(message, returncode=BAD_USAGE)
    site = urlsplit(options["site"] or "")
    if site.scheme not in {"http", "https"} or not site.netloc:
        message = "Google's feed needs --site, such as https://shop.example."
        raise CommandError(message, returncode=BAD_USAGE)
    return GoogleFeed(
        site=f"{site.scheme}://{site.netloc}", publisher=options["publisher"] or site.netloc
    )
