"""The check of the table ``comments``: keys, bodies, counts and ranks are derived again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import exact_pattern
from comments.integrity.dependents import DependentItems, compare_one, user_keys, votes
from comments.items import NewComment, derived_keys
from comments.models import TABLE, Comment
from comments.rankings.derivation import (
    BEST_RATING,
    NAME,
    PLACE,
    Ranking,
    RankKey,
    Touch,
    commented_place,
    derive,
    find_names,
    five_stars_place,
    rename_ranks,
    stored_ranks,
)
from comments.rankings.services import TOGETHER, refresh_ranks
from comments.sets.copies import follow
from comments.store.comments import delete_dependents, is_tombstone, leftovers
from comments.store.counts import cells_of, counters
from comments.store.table import change, changed, read_item
from dynapages.calls import in_chunks
from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR, every_entry, moment_at
from dynapages.process import client, read, write
from dynapages.pynamodb import unchanged
from dynapages.upkeep import (
    Candidate,
    Derived,
    Difference,
    Handlers,
    Kind,
    Sums,
    find_differences,
    repair_once,
)
from dynapages.writes import Action, check, delete

RECOUNT_PAGE = 1_000
NOWHERE = "nowhere"
NAMELESS = "none"
_COMMENTS = keys.COMMENT_PREFIX, keys.COMMENT_PREFIX


def comment_differences() -> Iterator[Difference]:
    """Compare every comment's keys, body, counts, ranks and dependents with what they should be."""
    for _, difference in find_differences(client(), TABLE, {"comments": comment_kinds()}):
        yield difference


def comment_kinds() -> Sequence[Kind]:
    """Return the kinds of the table ``comments``, in the order in which they are repaired."""
    comments = CommentItems()
    return (
        Derived(
            kind="keys",
            starts=_COMMENTS,
            subject=lambda item: f"comment {keys.comment_id_in(item['pk']['S'])}",
            derive=_derived_keys,
            actions=_key_actions,
            write=write,
            read=lambda key: read_item(table_key(*key)),
            show="{1}".format,
        ),
        user_keys(),
        Sums(
            shards=(keys.COUNTS_PREFIX, ""),
            name_in=lambda item: keys.product_id_of_counts(item["pk"]["S"]),
            items=_COMMENTS,
            cells=_counted_in,
            counters=lambda _product_id: counters(),
            subject="product {}".format,
            spread_subject="counts of {}".format,
            write=write,
            count=count_all,
            show="{}: {}".format,
        ),
        comments,
        votes(comments.exists),
        DependentItems(comments.exists),
        ProductRanks(),
    )


class CommentItems:
    """Comments by what is beside them: a body for a long text alone, nothing without a comment."""

    def __init__(self) -> None:
        self._comments: set[str] = set()
        self._long: set[str] = set()
        self._bodies: set[str] = set()
        self._with_dependents: set[str] = set()

    def exists(self, comment_id: str) -> bool:
        """Return whether there is such a comment, after the table was read."""
        return keys.comment(comment_id) in self._comments

    def handlers(self) -> Handlers:
        return {(keys.COMMENT_PREFIX, ""): self._add, (keys.TALLY_PREFIX, ""): self._add}

    def candidates(self) -> Iterator[Candidate]:
        for key in sorted((self._bodies & self._comments) ^ self._long):
            found = [_wrong_body(key, has_body=key in self._bodies)]
            yield Candidate(partial(_reread_body, key), found)
        for key in sorted(self._with_dependents - self._comments):
            yield Candidate(partial(_reread_leftovers, key), [_leftovers(key)])

    def _add(self, item: Item) -> None:
        key = keys.comment(keys.comment_id_in(item["pk"]["S"]))
        if item["sk"]["S"] != key:
            self._with_dependents.add(key)
            if item["sk"]["S"] == keys.BODY:
                self._bodies.add(key)
        elif not is_tombstone(item):
            self._comments.add(key)
            if Comment.body_bytes.attr_name in item:
                self._long.add(key)


class ProductRanks:
    """The ranks of products with their names, and those derived from the comments in lists."""

    def __init__(self) -> None:
        self._stored: dict[RankKey, str] = {}
        self._names: dict[RankKey, str] = {}
        self._best_rated = Counter[str]()
        self._newest: dict[str, str] = {}

    def handlers(self) -> Handlers:
        return {(keys.RANK_PREFIX, ""): self._add_rank, _COMMENTS: self._add_comment}

    def candidates(self) -> Iterator[Candidate]:
        expected = self._expected()
        for key in sorted(self._stored.keys() | expected.keys()):
            newest = self._newest.get(key[1], "")
            places = self._stored.get(key, NOWHERE), expected.get(key, NOWHERE)
            if found := list(_differing_rank(key, *places, newest=newest)):
                yield Candidate(partial(_reread_rank, key, newest), found)
        for some in in_chunks(sorted(self._names), TOGETHER):
            names = find_names({product_id for _, product_id in some})
            for key in some:
                if found := list(_differing_name(key, self._names[key], names)):
                    yield Candidate(partial(_reread_name, key), found)

    def _add_rank(self, item: Item) -> None:
        ranking, _, product = item["pk"]["S"].removeprefix(keys.RANK_PREFIX).partition(SEPARATOR)
        if PLACE in item:
            key = Ranking(ranking), product
            self._stored[key] = item[PLACE]["S"]
            self._names[key] = item.get(NAME, {"S": NAMELESS})["S"]

    def _add_comment(self, item: Item) -> None:
        if (comment := _listed(item)) is not None:
            product_id = keys.product_id_in(comment.product_partition)
            self._newest[product_id] = max(comment.place, self._newest.get(product_id, ""))
            self._best_rated[product_id] += int(comment.rating) == BEST_RATING

    def _expected(self) -> dict[RankKey, str]:
        places = {
            (Ranking.FIVE_STARS, product): five_stars_place(product, number)
            for product, number in self._best_rated.items()
        } | {
            (Ranking.COMMENTED, product): commented_place(product, place)
            for product, place in self._newest.items()
        }
        return {key: place for key, place in places.items() if place}


def count_all(product_id: str) -> Counter[str]:
    """Count a product's comments from the index, by the names of cells."""
    chosen = CommentFilter()
    runs = exact_pattern(chosen).runs(product_id, chosen)
    entries = every_entry(partial(read, runs), at_once=RECOUNT_PAGE)
    return Counter(cell for entry in entries for _, cell in _counted_in(entry.item))


def _listed(item: Item) -> Comment | None:
    """Return a comment that is in lists, None for a hidden one or a tombstone."""
    if is_tombstone(item) or Comment.product_partition.attr_name not in item:
        return None
    return Comment.from_raw_data(dict(item))


def _counted_in(item: Item) -> Iterable[tuple[str, str]]:
    if (comment := _listed(item)) is not None:
        product_id = keys.product_id_in(comment.product_partition)
        cells = cells_of(comment.language, int(comment.rating), moment_at(comment.place))
        yield from ((product_id, cell) for cell in cells)


def _derived_keys(item: Item) -> dict[str, str]:
    """Derive the keys of a comment by the names of their attributes."""
    comment = _listed(item)
    if comment is None:
        return {}
    derived = derived_keys(
        NewComment(
            id=keys.comment_id_in(comment.pk),
            product_id=keys.product_id_in(comment.product_partition),
            language=comment.language,
            rating=int(comment.rating),
            created_at=moment_at(comment.place),
            username=comment.username or "",
        )
    )
    return {getattr(Comment, name).attr_name: key for name, key in derived.items()}


def _key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    changes = {name: {"S": key} for name, key in expected.items()}
    same = unchanged(item, Comment.pk, Comment.version, Comment.reply)
    key = {"pk": item["pk"], "sk": item["sk"]}
    return [change(key, changes, same), *follow(item, changed(item, changes))]


def _wrong_body(key: str, *, has_body: bool) -> Difference:
    if not has_body:
        return Difference("body", key, "none", "a body, which is lost")
    short = check(Comment, table_key(key, key), Comment.body_bytes.does_not_exist())
    actions = [short, delete(Comment, table_key(key, keys.BODY))]
    return Difference("body", key, "a body", "none", partial(repair_once, write, actions))


def _reread_body(key: str) -> Iterable[Difference]:
    comment, body = read_item(table_key(key, key)), read_item(table_key(key, keys.BODY))
    if not comment or is_tombstone(comment):
        return []
    is_long, has_body = Comment.body_bytes.attr_name in comment, bool(body)
    return [] if is_long == has_body else [_wrong_body(key, has_body=has_body)]


def _leftovers(key: str) -> Difference:
    """Build the difference of a comment that does not exist, but has dependents."""
    # How many were deleted does not matter: zero is success too.
    delete_all = partial(delete_dependents, keys.comment_id_in(key))
    return Difference("leftovers", key, "some", "none", partial(repair_once, delete_all))


def _reread_leftovers(key: str) -> Iterable[Difference]:
    return [_leftovers(key)] if leftovers(keys.comment_id_in(key)) else []


def _differing_rank(
    key: RankKey, stored: str, expected: str, *, newest: str
) -> Iterator[Difference]:
    ranking, product_id = key
    repair = partial(refresh_ranks, {product_id: Touch(newest)})
    return compare_one("rank", f"product {product_id} in {ranking}", (stored, expected), repair)


def _reread_rank(key: RankKey, newest: str) -> Iterator[Difference]:
    (rank,) = derive([key], {key[1]: Touch(newest)})
    stored = rank.stored.get(PLACE, {"S": NOWHERE})["S"]
    return _differing_rank(key, stored, rank.place or NOWHERE, newest=newest)


def _differing_name(key: RankKey, stored: str, names: Mapping[str, str]) -> Iterator[Difference]:
    ranking, product_id = key
    expected = names.get(product_id, stored)  # a product that is not in the catalogue has none
    repair = partial(_rename, product_id)
    return compare_one("name", f"product {product_id} in {ranking}", (stored, expected), repair)


def _reread_name(key: RankKey) -> Iterator[Difference]:
    rank = stored_ranks([key]).get(key, {})
    names = find_names([key[1]]) if PLACE in rank else {}
    return _differing_name(key, rank.get(NAME, {"S": NAMELESS})["S"], names)


def _rename(product_id: str) -> None:
    for name in find_names([product_id]).values():
        write(rename_ranks(product_id, name))
