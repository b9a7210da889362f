"""A user's comments as data."""

from typing import Any

from comments.lists.listing import comment_data
from comments.profiles.queries import WrittenAbout
from shop.catalogue.category_listing import link_data


def written_data(written: WrittenAbout) -> dict[str, Any]:
    """Return a comment with its product for programs (docs/api.md)."""
    return {**comment_data(written.comment), "product": link_data(written.product)}
