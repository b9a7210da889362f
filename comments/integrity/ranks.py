"""The check of products' ranks, with their names, against the comments in lists."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

from comments import keys
from comments.integrity.items import COMMENTS, compare_values
from comments.models import Comment
from comments.rankings import services as rankings
from comments.rankings.services import Ranking, RankKey
from comments.store.states import is_listed
from dynapages.calls import in_chunks
from dynapages.items import Item
from dynapages.lists import SEPARATOR
from dynapages.process import write_actions
from dynapages.upkeep import Candidate, Difference, Handlers

NOWHERE = "nowhere"
"""Stands for the place of a product that does not rank."""
NAMELESS = "none"
"""Stands for the name of a rank that has none."""


class ProductRanks:
    """The ranks of products with their names, and those derived from the comments in lists."""

    def __init__(self) -> None:
        self._stored: dict[RankKey, str] = {}
        self._names: dict[RankKey, str] = {}
        self._best_rated = Counter[str]()
        self._newest: dict[str, str] = {}

    def handlers(self) -> Handlers:
        return {(keys.RANK_PREFIX, ""): self._add_rank, COMMENTS: self._add_comment}

    def candidates(self) -> Iterator[Candidate]:
        yield from self._wrong_places()
        yield from self._wrong_names()

    def _wrong_places(self) -> Iterator[Candidate]:
        """Yield the ranks whose place is not the derived one."""
        expected = self._expected()
        for key in sorted(self._stored.keys() | expected.keys()):
            _ranking, product_id = key
            newest = self._newest.get(product_id, "")
            stored_place = self._stored.get(key, NOWHERE)
            expected_place = expected.get(key, NOWHERE)
            differences = list(_differing_place(key, stored_place, expected_place, newest=newest))
            if differences:
                yield Candidate(partial(_reread_place, key, newest), differences)

    def _wrong_names(self) -> Iterator[Candidate]:
        """Yield the ranks whose name is not that of the catalogue."""
        # Names are read from the catalogue, some hundreds at a time.
        for some in in_chunks(sorted(self._names), rankings.PRODUCTS_AT_ONCE):
            names = rankings.find_names({product_id for _ranking, product_id in some})
            for key in some:
                differences = list(_differing_name(key, self._names[key], names))
                if differences:
                    yield Candidate(partial(_reread_name, key), differences)

    def _add_rank(self, item: Item) -> None:
        ranking, _, product = item["pk"]["S"].removeprefix(keys.RANK_PREFIX).partition(SEPARATOR)
        if rankings.PLACE in item:
            key = Ranking(ranking), product
            self._stored[key] = item[rankings.PLACE]["S"]
            self._names[key] = item.get(rankings.NAME, {"S": NAMELESS})["S"]

    def _add_comment(self, item: Item) -> None:
        if not is_listed(item):
            return
        comment = Comment.from_raw_data(dict(item))
        product_id = keys.product_id_in(comment.product_partition)
        self._newest[product_id] = max(comment.place, self._newest.get(product_id, ""))
        if int(comment.rating) == rankings.BEST_RATING:
            self._best_rated[product_id] += 1

    def _expected(self) -> dict[RankKey, str]:
        """Return the places of the products that rank."""
        places: dict[RankKey, str] = {}
        for product_id, number in self._best_rated.items():
            place = rankings.five_stars_place(product_id, number)
            if place:
                places[Ranking.FIVE_STARS, product_id] = place
        for product_id, newest in self._newest.items():
            place = rankings.commented_place(product_id, newest)
            if place:
                places[Ranking.COMMENTED, product_id] = place
        return places


# Places


def _differing_place(
    key: RankKey, stored: str, expected: str, *, newest: str
) -> Iterator[Difference]:
    ranking, product_id = key
    subject = f"product {product_id} in {ranking}"
    repair = partial(rankings.refresh_ranks, {product_id: rankings.RankHint(newest)})
    return compare_values("rank", subject, stored, expected, repair=repair)


def _reread_place(key: RankKey, newest: str) -> Iterator[Difference]:
    _ranking, product_id = key
    (rank,) = rankings.derive([key], {product_id: rankings.RankHint(newest)})
    stored = rank.stored.get(rankings.PLACE, {"S": NOWHERE})["S"]
    return _differing_place(key, stored, rank.place or NOWHERE, newest=newest)


# Names


def _differing_name(key: RankKey, stored: str, names: Mapping[str, str]) -> Iterator[Difference]:
    ranking, product_id = key
    subject = f"product {product_id} in {ranking}"
    expected = names.get(product_id, stored)  # a product that is not in the catalogue has none
    return compare_values("name", subject, stored, expected, repair=partial(_rename, product_id))


def _reread_name(key: RankKey) -> Iterator[Difference]:
    _ranking, product_id = key
    rank = rankings.stored_ranks([key]).get(key, {})
    names: Mapping[str, str] = {}
    if rankings.PLACE in rank:
        names = rankings.find_names([product_id])
    return _differing_name(key, rank.get(rankings.NAME, {"S": NAMELESS})["S"], names)


def _rename(product_id: str) -> None:
    for name in rankings.find_names([product_id]).values():
        write_actions(rankings.rename_ranks(product_id, name))
