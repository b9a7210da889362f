"""The partition keys of the index ``by_set``, one for each set of comments.

A set is a product, a language or any, and one or more ratings, of which all five are any:
``PRODUCT#42/en/1.2.5``, ``PRODUCT#42/~/~``. The setting ``COMMENT_SETS_SPELLING`` chooses between
``names``, as here, and ``masks``, in which the ratings are one number with rating *r* as its bit
*r* - 1: ``PRODUCT#42/en/19``. A table is written in one of them; after a change of the setting
``check_integrity --model sets --repair`` rewrites it.

Follows "Key design" and "What duplicates do we need?" of part 1 of "Efficient filtering with
DynamoDB".
"""

from collections.abc import Collection
from itertools import combinations

from django.conf import settings

from comments import keys
from comments.filters import ANY, RATINGS

NAMES, MASKS = "names", "masks"
SPELLINGS = (NAMES, MASKS)


def partition(product_id: str, language: str | None, ratings: Collection[int]) -> str:
    """Format the set of a product's comments in a language (or any) with these ratings.

    No ratings and all five mean the same: any.
    """
    return keys.product_partition(product_id, language or ANY, _ratings(ratings))


def rating_sets(rating: int) -> tuple[tuple[int, ...], ...]:
    """Return the 16 sets of ratings that contain this one, sorted within, the smallest first."""
    return tuple(
        chosen
        for size in range(1, len(RATINGS) + 1)
        for chosen in combinations(RATINGS, size)
        if rating in chosen
    )


def _ratings(ratings: Collection[int]) -> str:
    chosen = sorted(set(ratings))
    if not chosen or chosen == list(RATINGS):
        return ANY
    if settings.COMMENT_SETS_SPELLING == MASKS:
        return str(sum(1 << (rating - 1) for rating in chosen))
    return ".".join(map(str, chosen))
