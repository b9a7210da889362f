"""``manage.py import_comments`` of this site: the app's, and Olist's folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from comments.data.run import CommentFile
from comments.management.commands import import_comments
from config.olist_reviews import OlistReviews, with_orders
from dynapages.django.files.records import BadMapping
from dynapages.django.options import Progress
from shop.data.olist import REVIEWS, path_of


class Command(import_comments.Command):
    """Imports a file, or Olist's reviews, each as a comment on each product of its order."""

    help = f"{import_comments.Command.help}. Of Olist's folder, --preset olist reads the reviews"

    def source(self, path: Path, options: dict[str, Any], progress: Progress) -> CommentFile:
        if not path.is_dir():
            return super().source(path, options, progress)
        if options["preset"] != "olist" or options["product_id"] is not None:
            raise BadMapping(
                "Of a folder, --preset olist reads the reviews, on their own products."
            )
        reviews = super().source(path_of(path, REVIEWS), options, progress)
        joined = OlistReviews.of(path, reviews.shape.dates, progress)
        return replace(reviews, shape=with_orders(reviews.shape), joined=joined)
