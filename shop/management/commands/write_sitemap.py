"""``manage.py write_sitemap``: finds out where the pages of the sitemap begin."""

from typing import Any

from django.core.management.base import BaseCommand

from dynapages.django.options import failures_in_one_line
from shop.sitemap.queries import write_sitemap


class Command(BaseCommand):
    """Writes the index of the sitemap."""

    help = (
        "Walk through the products of all categories, and store where the pages of the sitemap "
        "begin. Half a capacity unit for each 4 KB; run it by cron, once a day. Products added "
        "since are on a page as well, new categories are not."
    )

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            starts = write_sitemap()
        categories = len({start.slug for start in starts})
        self.stdout.write(f"Pages of the sitemap: {len(starts)}, of categories: {categories}.")
