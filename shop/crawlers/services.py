"""Writing of the sitemap."""

from shop.crawlers.queries import PageStart, StoredSitemap, walk_starts


def write_sitemap() -> list[PageStart]:
    """Walk through all products of all categories, and store where the sitemap's pages begin."""
    starts = list(walk_starts())
    StoredSitemap.of(starts).save()
    return starts
