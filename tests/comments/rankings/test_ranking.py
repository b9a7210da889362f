"""Products' ranks: that they arrive, how far they may lag, and that no late one stays."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial
from random import Random
from threading import Lock
from typing import Any

import pytest

from comments.data.writer import BulkWriter
from comments.items import NewComment
from comments.keys import rank, score_at
from comments.models import TABLE
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.rankings import queries
from comments.rankings import services as ranks
from comments.rankings.queries import commented_products, list_ranking
from comments.rankings.services import RANKED, RankHint, Ranking, refresh_ranks
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from dynapages.calls import Batches, metered
from dynapages.django.options import Progress
from dynapages.lists import Order, PageRequest, Toward
from dynapages.process import client, pool
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.switching import put_back, take_off
from tests.support.chance import examples
from tests.support.comments.ranked import (
    before_rank_is_stored,
    before_ranks_are_stored_together,
    five_stars,
    index_that_lags,
    last_comment,
    ranking_of,
    ranks_out_of_reach,
    stored_rank,
)
from tests.support.comments.threads import differences, mended
from tests.support.comments.truth import START, written

pytestmark = pytest.mark.usefixtures("tables")
NOW = START + timedelta(days=1)
SILENT = Progress(shown=False)
FIVE_STARS, COMMENTED = Ranking.FIVE_STARS, Ranking.COMMENTED


@pytest.fixture
def comment(fresh):
    return written(fresh("product"), id=fresh("comment"), rating=5)


def another(comment: NewComment, number: int, **changes: Any) -> NewComment:
    """A comment on the same product, so many minutes later."""
    later = comment.created_at + timedelta(minutes=number)
    return replace(comment, id=f"{comment.id}-{number}", created_at=later, **changes)


def load(*comments: NewComment) -> BulkWriter:
    writer = BulkWriter(Batches(client(), pool()))
    writer.write(comments)
    return writer


def test_a_product_ranks_by_its_five_star_comments_for_as_long_as_there_are_any(comment):
    add_comment(replace(comment, rating=4))
    assert ranking_of(FIVE_STARS, [comment.product_id]) == []
    edit_comment(load_comment(comment.id), now=NOW, rating=5)
    assert five_stars(comment.product_id) == 1
    delete_comment(comment.id)
    assert ranking_of(FIVE_STARS, [comment.product_id]) == []
    assert not {"k", "p"} & stored_rank(FIVE_STARS, comment.product_id).keys()


def test_a_product_ranks_by_its_newest_comment_whatever_is_added_later(comment):
    newest = another(comment, 9, rating=1, language="ja")
    for each in (comment, newest, another(comment, 5)):
        add_comment(each)
    (ranked,) = ranking_of(COMMENTED, [comment.product_id])
    assert (ranked.comment_id, ranked.commented) == (newest.id, newest.created_at)
    delete_comment(newest.id)
    assert last_comment(comment.product_id) == f"{comment.id}-5"
    for comment_id in (f"{comment.id}-5", comment.id):
        delete_comment(comment_id)
    add_comment(another(comment, 1))
    assert last_comment(comment.product_id) == f"{comment.id}-1"


def test_all_products_with_comments_are_walked_through_from_either_end(comment, fresh, monkeypatch):
    monkeypatch.setattr(queries, "PRODUCTS_AT_ONCE", 2)
    products = [comment.product_id, fresh("product"), fresh("product")]
    for number, product_id in enumerate(products):
        add_comment(replace(another(comment, number), product_id=product_id))
    walks = {order: [*commented_products(order)] for order in Order}
    for order, in_order in (
        (Order.OLDEST_FIRST, products),
        (Order.NEWEST_FIRST, products[::-1]),
    ):
        assert [each for each in walks[order] if each in products] == in_order


class TestIndexThatLags:
    """No engine of the tests lags; Amazon's does."""

    def test_does_not_hide_a_comment_from_its_own_writer(self, comment):
        with index_that_lags(missing=[comment.id]):
            add_comment(comment)
            assert last_comment(comment.product_id) == comment.id

    def test_does_not_bring_a_deleted_comment_back(self, comment):
        add_comment(comment)
        newest = another(comment, 1)
        add_comment(newest)
        with index_that_lags(gone=newest):
            delete_comment(newest.id)
        assert last_comment(comment.product_id) == comment.id

    def test_hides_none_that_was_ranked_before(self, comment):
        with index_that_lags(missing=[comment.id, f"{comment.id}-1"]):
            add_comment(another(comment, 1))
            add_comment(comment)
            assert last_comment(comment.product_id) == f"{comment.id}-1"


class TestWritersWhoMeet:
    def test_never_store_what_is_older_over_what_is_newer(self, comment):
        """The first writer has counted one, and stores it when there are two."""
        second = another(comment, 1)
        with before_rank_is_stored(FIVE_STARS, comment.product_id, lambda: add_comment(second)):
            add_comment(comment)
        assert five_stars(comment.product_id) == 2

    def test_are_stopped_by_one_that_changed_nothing(self, comment):
        """One was added and deleted again, while it was on its way into the ranking."""
        add_comment(comment)
        brief = another(comment, 1)
        with before_rank_is_stored(
            FIVE_STARS, comment.product_id, lambda: delete_comment(brief.id)
        ):
            add_comment(brief)
        assert five_stars(comment.product_id) == 1

    def test_are_stopped_by_one_that_took_the_product_out(self, comment):
        with before_rank_is_stored(
            COMMENTED, comment.product_id, lambda: delete_comment(comment.id)
        ):
            add_comment(comment)
        assert ranking_of(COMMENTED, [comment.product_id]) == []

    def test_may_stop_when_they_have_lost_three_times(self, comment):
        """The first winner may have begun before their commit, and the second on its result."""
        others = [another(comment, number) for number in (1, 2, 3)]
        happens = [lambda each=each: add_comment(each) for each in others]
        with before_rank_is_stored(FIVE_STARS, comment.product_id, *happens) as met:
            add_comment(comment)
        assert five_stars(comment.product_id) == 4
        assert met == ["1", "2", "3"]

    def test_look_to_it_that_their_own_newest_comment_ranks(self, comment):
        """Two others win, who see neither each other's comment nor ours in the index."""
        others = [another(comment, number) for number in (1, 2)]
        newest = another(comment, 3)
        happens = [lambda each=each: add_comment(each) for each in others]
        ids = [each.id for each in (*others, newest)]
        with (
            index_that_lags(missing=ids),
            before_rank_is_stored(COMMENTED, comment.product_id, *happens),
        ):
            add_comment(newest)
        assert last_comment(comment.product_id) == newest.id


@pytest.mark.real_engine
class TestLag:
    def test_is_no_more_than_the_writers_still_under_way(self, comment):
        """Of many writers at once, those who have returned are always in the ranking."""
        count = examples(50)
        returned, lock, seen = [0], Lock(), []

        def write(number: int) -> None:
            add_comment(another(comment, number))
            with lock:
                returned[0] += 1
                at_least = returned[0]
            place = stored_rank(FIVE_STARS, comment.product_id)["p"]["S"]
            seen.append((at_least, score_at(place)))

        with ThreadPoolExecutor(count) as writers:
            list(writers.map(write, Random(4).sample(range(count), count)))
        assert all(at_least <= shown <= count for at_least, shown in seen)
        assert five_stars(comment.product_id) == count
        assert last_comment(comment.product_id) == f"{comment.id}-{count - 1}"

    def test_is_none_when_many_have_added_edited_and_deleted(self, comment):
        half = 3 * examples(12) + 1  # so that the last one is edited, not deleted
        load(*(another(comment, number) for number in range(half))).finish(SILENT)

        def write(number: int) -> None:
            if number >= half:
                add_comment(another(comment, number - 2 * half))
            elif number % 3:
                delete_comment(f"{comment.id}-{number}")
            else:
                edit_comment(load_comment(f"{comment.id}-{number}"), now=NOW, rating=2)

        with ThreadPoolExecutor(2 * half) as writers:
            list(writers.map(write, range(2 * half)))
        counted = read_counts(comment.product_id).cells["en", 5]
        assert five_stars(comment.product_id) == counted == half
        assert last_comment(comment.product_id) == f"{comment.id}-{half - 1}"
        assert differences(comment) == []


class TestRankThatCannotBeStored:
    def test_is_a_warning_and_arrives_with_the_next_change(self, comment, caplog):
        with ranks_out_of_reach():
            add_comment(comment)
        assert load_comment(comment.id).comment == comment
        (record,) = [r for r in caplog.records if r.name == "comments.rankings.services"]
        assert record.levelno == logging.WARNING
        add_comment(another(comment, 1))
        assert five_stars(comment.product_id) == 2

    def test_lets_an_edit_a_deletion_and_a_load_be(self, comment):
        with ranks_out_of_reach():
            add_comment(comment)
            edit_comment(load_comment(comment.id), now=NOW, rating=1)
            assert delete_comment(comment.id)
            load(comment).finish(SILENT)
        assert load_comment(comment.id).comment == comment


class TestLoad:
    def test_reads_no_list_of_comments_and_again_only_the_ranks(self, comment):
        for unwanted in ({"Query"}, {"Query", "UpdateItem", "TransactWriteItems"}):
            writer = load(comment, another(comment, 1))
            with metered() as meter:
                writer.finish(SILENT)
            assert not unwanted & {call.operation for call in meter.log}

    def test_ranks_each_product_once(self, comment, fresh):
        other = replace(comment, id=fresh("comment"), product_id=fresh("product"))
        writer = load(*(another(c, n) for c in (comment, other) for n in range(30)))
        for product in (comment.product_id, other.product_id):
            assert ranking_of(FIVE_STARS, [product]) == []
        writer.finish(SILENT)
        for each in (comment, other):
            assert five_stars(each.product_id) == 30
            assert last_comment(each.product_id) == f"{each.id}-29"
            assert stored_rank(FIVE_STARS, each.product_id)["w"] == {"N": "1"}

    def test_ranks_many_products_as_well_when_one_of_them_is_met(self, comment):
        products = [f"{comment.product_id}-{number}" for number in range(20)]
        writer = load(*(replace(comment, id=f"c-{p}", product_id=p) for p in products))
        add_comment(replace(comment, id=f"d-{products[0]}", product_id=products[0], rating=5))
        others = [lambda: refresh_ranks({products[0]: RankHint()})]
        with before_ranks_are_stored_together(*others):
            writer.finish(SILENT)
        found = {r.product.id: r.five_stars for r in ranking_of(FIVE_STARS, products)}
        assert found == dict.fromkeys(products, 1) | {products[0]: 2}

    @pytest.mark.parametrize("moves", [1, 2], ids=["once", "again before it was run again"])
    def test_again_ranks_the_products_that_lost_comments_before_it_was_cut_off(
        self, comment, fresh, moves
    ):
        load(comment).finish(SILENT)
        moved = comment
        for number in range(moves):
            later = comment.created_at + timedelta(minutes=number + 1)
            moved = replace(comment, product_id=fresh("product"), created_at=later)
            load(moved)
        load(moved).finish(SILENT)
        assert ranking_of(COMMENTED, [comment.product_id]) == []
        assert ranking_of(FIVE_STARS, [comment.product_id]) == []
        assert last_comment(moved.product_id) == comment.id
        assert differences(comment) == differences(moved) == []

    def test_of_older_comments_leaves_the_newest_last(self, comment):
        load(another(comment, 9))
        load(*(another(comment, number) for number in range(3))).finish(SILENT)
        assert last_comment(comment.product_id) == f"{comment.id}-9"


class TestRankingOfTheShop:
    @pytest.mark.real_engine
    def test_is_read_in_order_from_all_shards_there_and_back(self, comment, monkeypatch):
        monkeypatch.setattr(ranks, "RANK_SHARDS", RANKED.count() + 2)
        products = [f"{comment.product_id}-{number}" for number in range(9)]
        stars = dict(zip(products, [3, 1, 3, 2, 2, 1, 3, 1, 2], strict=True))
        load(
            *(
                replace(comment, id=f"{comment.id}-{n}-{product}", product_id=product)
                for product, number in stars.items()
                for n in range(number)
            )
        ).finish(SILENT)
        expected = sorted(products, key=lambda product: (stars[product], product), reverse=True)
        there, back = walk(FIVE_STARS, size=2)
        assert [p for p in there if p in stars] == expected
        assert back == there

    def test_is_read_to_its_last_shard_by_a_process_that_has_written_none(
        self, comment, monkeypatch
    ):
        monkeypatch.setattr(ranks, "RANK_SHARDS", RANKED.count() + 3)
        products = [f"{comment.product_id}-{number}" for number in range(20)]
        load(*(replace(comment, id=p, product_id=p) for p in products)).finish(SILENT)
        RANKED._known.clear()  # as in another process
        monkeypatch.setattr(ranks, "RANK_SHARDS", 1)
        assert len(ranking_of(COMMENTED, products)) == 20

    def test_keeps_a_product_in_its_shard(self, comment, monkeypatch):
        monkeypatch.setattr(ranks, "RANK_SHARDS", RANKED.count() + 5)
        add_comment(comment)
        shard = stored_rank(FIVE_STARS, comment.product_id)["k"]
        for number in range(8):
            add_comment(another(comment, number))
            assert stored_rank(FIVE_STARS, comment.product_id)["k"] == shard


class TestIntegrity:
    def test_finds_and_mends_ranks_that_were_left_behind(self, comment):
        add_comment(comment)
        newest = another(comment, 1)
        with ranks_out_of_reach():
            add_comment(newest)
        assert [d.kind for d in mended(comment)] == ["rank", "rank"]
        assert (five_stars(comment.product_id), last_comment(comment.product_id)) == (2, newest.id)

    def test_finds_and_mends_ranks_of_products_without_comments(self, comment):
        add_comment(comment)
        with ranks_out_of_reach():
            delete_comment(comment.id)
        assert [d.expected for d in mended(comment)] == ["nowhere", "nowhere"]
        assert ranking_of(FIVE_STARS, [comment.product_id]) == []


def walk(ranking: Ranking, *, size: int) -> tuple[list[str], list[str]]:
    """The products of a ranking, from its top to its end, and from its end back to the top."""
    there, page = [], list_ranking(ranking, PageRequest(size))
    while page.page.has_next:
        there += page.items
        page = list_ranking(ranking, PageRequest(size, page.page.next_position))
    there += page.items
    back = list(page.items)
    while page.page.has_previous:
        position = page.page.previous_position
        page = list_ranking(ranking, PageRequest(size, position, Toward.PREVIOUS))
        back = [*page.items, *back]
    return [r.product.id for r in there], [r.product.id for r in back]


class TestTheNameOfAProduct:
    @pytest.fixture
    def lamp(self, comment):
        """The product that is commented on."""
        lamp = NewProduct(comment.product_id, "Lamp", (f"shelf-{comment.product_id}",))
        self.put(lamp)
        return lamp

    def put(self, lamp: NewProduct) -> None:
        put_catalogue(categories=[NewCategory(lamp.category_slugs[0], "Shelf")], products=[lamp])

    def names(self, lamp: NewProduct) -> list[str]:
        ranked = [ranking_of(ranking, [lamp.id]) for ranking in Ranking]
        return [one.product.name for found in ranked for one in found]

    def test_travels_with_its_ranks_and_changes_with_the_product(self, comment, lamp):
        add_comment(comment)
        for ranking in Ranking:
            assert stored_rank(ranking, lamp.id)["t"] == {"S": "Lamp"}
        self.put(replace(lamp, name="Torch"))
        assert self.names(lamp) == ["Torch"] * 2

    def test_of_one_taken_off_is_in_no_ranking(self, comment, lamp):
        add_comment(comment)
        take_off(lamp.id)
        assert self.names(lamp) == []
        add_comment(another(comment, 1))
        assert (self.names(lamp), differences(comment)) == ([], [])
        put_back(lamp.id)
        assert self.names(lamp) == ["Lamp"] * 2

    def test_of_one_first_commented_on_when_it_was_off_is_in_no_ranking(self, comment, lamp):
        take_off(lamp.id)
        add_comment(comment)
        assert (self.names(lamp), differences(comment)) == ([], [])

    def test_changed_while_a_rank_is_derived_is_the_new_one(self, comment, lamp):
        renamed = partial(self.put, replace(lamp, name="Torch"))
        with before_rank_is_stored(FIVE_STARS, lamp.id, renamed):
            add_comment(comment)
        assert self.names(lamp) == ["Torch"] * 2

    def test_that_is_missing_is_mended_by_the_check(self, comment, lamp):
        add_comment(comment)
        for ranking in Ranking:
            key = {"S": rank(ranking, lamp.id)}
            client().update_item(
                TableName=TABLE, Key={"pk": key, "sk": key}, UpdateExpression="REMOVE t"
            )
        assert self.names(lamp) == [lamp.id] * 2
        assert [(d.kind, d.expected) for d in mended(comment)] == [("name", "Lamp")] * 2
