"""The check of the ratings that are copied to where products are listed, against the comments."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from itertools import product as every_pair

from comments import host, keys
from comments.host import Rating
from comments.integrity.items import COMMENTS, compare_values
from comments.models import Comment
from comments.rankings import ratings
from comments.rankings.ratings import Ratings
from comments.rankings.services import PRODUCTS_AT_ONCE, Ranking, RankKey, stored_ranks
from comments.store.states import is_listed
from dynapages.calls import in_chunks
from dynapages.items import Item
from dynapages.lists import SEPARATOR
from dynapages.upkeep import Candidate, Difference, Handlers

UNRATED = "none"
"""Stands for the rating of a product without comments."""


class ProductRatings:
    """The ratings of products in their ranks and of the project, and those of the comments.

    What waits to be copied is not wrong: the worker will write it.
    """

    def __init__(self) -> None:
        self._ranks: dict[RankKey, Rating | None] = {}
        self._rated = Counter[str]()
        self._stars = Counter[str]()

    def handlers(self) -> Handlers:
        return {(keys.RANK_PREFIX, ""): self._add_rank, COMMENTS: self._add_comment}

    def candidates(self) -> Iterator[Candidate]:
        product_ids = {product_id for _ranking, product_id in self._ranks} | self._rated.keys()
        checked = sorted(product_ids - set(ratings.owed_copies()))
        for some in in_chunks(checked, PRODUCTS_AT_ONCE):
            kept = host.kept_ratings(some)
            for product_id in some:
                expected = self._expected(product_id)
                differences = list(_differing(product_id, self._ranks, kept, expected))
                if differences:
                    yield Candidate(partial(self._reread, product_id), differences)

    def _add_rank(self, item: Item) -> None:
        ranking, _, product = item["pk"]["S"].removeprefix(keys.RANK_PREFIX).partition(SEPARATOR)
        self._ranks[Ranking(ranking), product] = ratings.rating_in(item)

    def _add_comment(self, item: Item) -> None:
        if not is_listed(item):
            return
        comment = Comment.from_raw_data(dict(item))
        product_id = keys.product_id_in(comment.product_partition)
        self._rated[product_id] += 1
        self._stars[product_id] += int(comment.rating)

    def _reread(self, product_id: str) -> Iterator[Difference]:
        """Compare the copies of a product's rating again, unless they wait to be written."""
        expected = ratings.read_ratings([product_id])[product_id]
        stored = stored_ranks(every_pair(Ranking, [product_id]))
        ranks = {key: ratings.rating_in(item) for key, item in stored.items()}
        kept = host.kept_ratings([product_id])
        differences = list(_differing(product_id, ranks, kept, expected))
        if differences and product_id not in self._owed_by_now:
            yield from differences

    @cached_property
    def _owed_by_now(self) -> set[str]:
        """The products whose copies wait, read once for all that differ."""
        return set(ratings.owed_copies())

    def _expected(self, product_id: str) -> Rating | None:
        if not self._rated[product_id]:
            return None
        return Rating(self._rated[product_id], self._stars[product_id])


def _differing(
    product_id: str,
    ranks: Mapping[RankKey, Rating | None],
    kept: Ratings,
    expected: Rating | None,
) -> Iterator[Difference]:
    """Yield the copies of a product's rating that are not as its comments say."""
    repair = partial(ratings.refresh_ratings, [product_id])
    copies: dict[str, Rating | None] = {}
    for ranking in Ranking:
        if (ranking, product_id) in ranks:
            copies[f"product {product_id} in {ranking}"] = ranks[ranking, product_id]
    if product_id in kept:
        copies[f"product {product_id}"] = kept[product_id]
    for subject, copy in copies.items():
        yield from compare_values("rating", subject, _shown(copy), _shown(expected), repair=repair)


def _shown(rating: Rating | None) -> str:
    if rating is None:
        return UNRATED
    return f"{rating.stars} stars of {rating.count}"
