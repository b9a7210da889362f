"""The derivation of products' ranks from their counts and newest comments."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from comments.keys import scored
from comments.rankings.items import NAME, NEWEST, Rank, Ranking, RankKey, stored_ranks
from comments.rankings.names import find_names
from comments.rankings.newest_comment import find_newest
from comments.store.counts import counters, counts_in, parse_cell
from dynamo.items import Item
from dynamo.lists.places import SEPARATOR

BEST_RATING = 5


@dataclass(frozen=True, slots=True)
class Touch:
    """What a writer knows of a product: its newest comment's place, and how many it has seen.

    Both may be less than there is; where they are not, the index need not be read.
    """

    newest: str = ""
    seen: int = 0

    def also(self, newest: str, seen: int) -> "Touch":
        """Return the newer place and the sum of comments seen."""
        return Touch(max(self.newest, newest), self.seen + seen)


Touched = Mapping[str, Touch]
"""Product ids, each with what the writer knows of it."""


def rank_keys_of(
    products: Iterable[str], rankings: Iterable[Ranking] = tuple(Ranking)
) -> list[RankKey]:
    """Return the keys of the ranks of products, whether they rank or not."""
    wanted = list(products)
    return [(ranking, product) for ranking in rankings for product in wanted]


def rankings_of_comment(rating: int) -> tuple[Ranking, ...]:
    """Return the rankings that a comment counts for."""
    return tuple(Ranking) if rating == BEST_RATING else (Ranking.COMMENTED,)


def derive(rank_keys: Sequence[RankKey], touched: Touched) -> list[Rank]:
    """Derive ranks from the counts and the newest comments, as they are now.

    The stored ranks are read first, so that one stored meanwhile fails the version condition.
    """
    stored = stored_ranks(rank_keys)
    by_stars = {p for ranking, p in rank_keys if ranking is Ranking.FIVE_STARS}
    commented = [p for ranking, p in rank_keys if ranking is Ranking.COMMENTED]
    counted = by_stars | {p for p in commented if touched[p].seen}
    counts = counters().read_many(counted, consistent=True)
    complete = {p for p in counted if counts_in(counts[p]).total == touched[p].seen}
    newest = _newest(commented, stored, touched, complete)
    names = find_names({key[1] for key in rank_keys if NAME not in stored.get(key, {})})
    ranks = []
    for key in rank_keys:
        ranking, product = key
        item = stored.get(key, {})
        name = item[NAME]["S"] if NAME in item else names.get(product)
        if ranking is Ranking.FIVE_STARS:
            number = _best_ratings(counts[product])
            ranks.append(Rank(key, item, five_stars_place(product, number), name=name))
        else:
            latest = newest.get(product)
            ranks.append(Rank(key, item, commented_place(product, latest), latest, name))
    return ranks


def five_stars_place(product_id: str, number: int) -> str | None:
    """Format the place of a product with a number of 5-star comments; None for none."""
    return scored(number, product_id) if number > 0 else None


def commented_place(product_id: str, newest: str | None) -> str | None:
    """Format the place of a product by that of its newest comment; None without any."""
    return newest and newest.partition(SEPARATOR)[0] + SEPARATOR + product_id


def _best_ratings(cells: Mapping[str, int]) -> int:
    return sum(n for name, n in cells.items() if parse_cell(name)[1] == BEST_RATING)


def _newest(
    products: Sequence[str],
    stored: Mapping[RankKey, Item],
    touched: Touched,
    complete: Collection[str],
) -> dict[str, str]:
    suggested, unsure = {}, []
    for product in products:
        item = stored.get((Ranking.COMMENTED, product), {})
        known = item.get(NEWEST, {"S": ""})["S"]
        suggested[product] = {place for place in (known, touched[product].newest) if place}
        if not known and product not in complete:
            unsure.append(product)
    return find_newest(suggested, unsure=unsure)
