"""``manage.py write_sitemap``: finds out where the pages of the sitemap begin."""

from typing import Any

from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from shop.sitemap.services import write_sitemap


class Command(TableCommand):
    """Writes the index of the sitemap."""

    help = (
        "Walk through all products and categories, and store where the pages of the sitemap begin. "
        "Half a capacity unit for each 4 KB; run it by cron, once a day. What was added since is "
        "on a page as well."
    )

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            starts = write_sitemap()
        self.stdout.write(f"Pages of the sitemap: {len(starts)}.")
