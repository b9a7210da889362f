"""Ratings of products in lists: whatever happens to comments, and whatever fails, they follow."""

import logging
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from django.urls import reverse

from comments.data.writer import BulkWriter
from comments.host import Rating
from comments.items import NewComment
from comments.models import TABLE
from comments.moderation.services import Decision, carry_out
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.rankings import ratings
from comments.rankings.ratings import owed_copies, refresh_ratings
from comments.rankings.services import Ranking
from comments.store.comments import load_comment
from comments.store.writing import QUEUE
from dynapages.calls import Batches, metered
from dynapages.django.options import Progress
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES
from shop.catalogue.content import NewProduct
from shop.catalogue.editing import change_product, find_editable
from shop.catalogue.services import put_catalogue
from shop.for_comments import PRODUCTS
from tests.support.catalogue.making import category
from tests.support.catalogue.rated import Shelved, copy_all
from tests.support.catalogue.spoiling import found as found_in_the_catalogue
from tests.support.catalogue.spoiling import mend as mend_the_catalogue
from tests.support.chance import examples, unique
from tests.support.comments.browsing import visit
from tests.support.comments.faulty import before_the_next_transaction, faults
from tests.support.comments.ranked import ranks_out_of_reach, stored_rank
from tests.support.comments.threads import differences, mended
from tests.support.comments.truth import START, written
from tests.support.config.api import NOBODY
from tests.support.project import PROJECT
from tests.support.work import finish_what_waits

pytestmark = pytest.mark.usefixtures("tables")
NOW = START + timedelta(days=1)


@pytest.fixture
def lamps():
    return Shelved.put()


@pytest.fixture
def lamp(lamps):
    return lamps.product_ids[0]


def made(product_id: str, rating: int = 5, **more: Any) -> NewComment:
    return written(product_id, id=unique("comment"), rating=rating, **more)


def post(product_id: str, *stars: int) -> list[NewComment]:
    comments = [made(product_id, rating) for rating in stars]
    for comment in comments:
        add_comment(comment)
    return comments


@dataclass
class Talk:
    """Comments on some products, and what staff and authors do with them; the plain truth."""

    product_ids: tuple[str, ...]
    random: Random
    listed: dict[str, NewComment] = field(default_factory=dict)
    hidden: dict[str, NewComment] = field(default_factory=dict)

    def go_on(self) -> None:
        step = self.random.choice(
            [self.post, self.post, self.edit, self.delete, self.hide, self.show]
        )
        step()

    def post(self) -> None:
        comment = made(self.random.choice(self.product_ids), self.random.randint(1, 5))
        add_comment(comment)
        self.listed[comment.id] = comment

    def edit(self) -> None:
        if self.listed:
            comment_id = self.random.choice([*self.listed])
            rating = self.random.randint(1, 5)
            edit_comment(load_comment(comment_id), now=NOW, rating=rating)
            self.listed[comment_id] = replace(self.listed[comment_id], rating=rating)

    def delete(self) -> None:
        if self.listed:
            comment_id = self.random.choice([*self.listed])
            delete_comment(comment_id)
            del self.listed[comment_id]

    def hide(self) -> None:
        if self.listed:
            comment_id = self.random.choice([*self.listed])
            carry_out(Decision.HIDE, comment_id=comment_id, now=NOW)
            self.hidden[comment_id] = self.listed.pop(comment_id)

    def show(self) -> None:
        if self.hidden:
            comment_id = self.random.choice([*self.hidden])
            carry_out(Decision.RESTORE, comment_id=comment_id, now=NOW)
            self.listed[comment_id] = self.hidden.pop(comment_id)

    def truth(self) -> dict[str, tuple[int, int] | None]:
        """How each product is rated, by its comments one by one."""
        numbers, stars = Counter[str](), Counter[str]()
        for comment in self.listed.values():
            numbers[comment.product_id] += 1
            stars[comment.product_id] += comment.rating
        return {
            each: (numbers[each], stars[each]) if numbers[each] else None
            for each in self.product_ids
        }


def wrong(lamps: Shelved, truth: dict[str, tuple[int, int] | None]) -> list[str]:
    """Where a list shows another rating than the truth."""
    return [
        f"{product_id} in {name}: {rating}, not {truth[product_id]}"
        for name, shown in lamps.ratings().items()
        for product_id, rating in shown.items()
        if rating != truth[product_id]
    ]


def lists_that_show(lamps: Shelved, product_id: str, rating: tuple[int, int] | None) -> set[str]:
    return {name for name, shown in lamps.ratings().items() if shown.get(product_id, 0) == rating}


EVERYWHERE = 14
"""All products, a search, the product itself, a shelf, rankings, two categories in any order."""


class TestRatingsInLists:
    def test_are_those_of_the_comments_whatever_happens_to_these(self, lamps):
        talk = Talk(lamps.product_ids, Random(7))
        for _ in range(examples(4)):
            for _ in range(12):
                talk.go_on()
            copy_all()
            assert wrong(lamps, talk.truth()) == []

    def test_are_in_every_list_that_shows_the_product(self, lamps, lamp):
        post(lamp, 5, 2)
        copy_all()
        assert len(lists_that_show(lamps, lamp, (2, 7))) == EVERYWHERE

    def test_are_gone_with_the_last_comment(self, lamps, lamp):
        (comment,) = post(lamp, 5)
        copy_all()
        delete_comment(comment.id)
        copy_all()
        assert len(lists_that_show(lamps, lamp, None)) == EVERYWHERE - len(Ranking)

    def test_stay_when_the_product_is_changed(self, lamps, lamp):
        post(lamp, 5)
        copy_all()
        change_product(lamp, {"name": f"{lamps.word} anew", "unit_price_cents": 5}, version=None)
        assert len(lists_that_show(lamps, lamp, (1, 5))) == EVERYWHERE

    def test_stay_when_the_product_is_imported_again(self, lamps, lamp):
        post(lamp, 5)
        copy_all()
        for price in (995, 996):
            products = [replace(each, unit_price_cents=price) for each in lamps.products()]
            put_catalogue(categories=lamps.categories(), products=products)
            assert len(lists_that_show(lamps, lamp, (1, 5))) == EVERYWHERE

    def test_stay_while_the_product_is_off(self, lamps, lamp):
        post(lamp, 4)
        change_product(lamp, {"is_off": True}, version=None)
        copy_all()
        change_product(lamp, {"is_off": False}, version=None)
        assert lists_that_show(lamps, lamp, (1, 4)) >= {"all", "search", "own", "shelf"}

    def test_are_no_new_version_of_a_product(self, lamps, lamp):
        before = find_editable(lamp)
        post(lamp, 4)
        copy_all()
        assert find_editable(lamp).version == before.version

    def test_are_there_when_an_import_is_done(self, lamps, lamp):
        writer = BulkWriter(Batches(client(), pool()))
        writer.write([made(lamp, 1), made(lamp, 5)])
        writer.finish(Progress(shown=False))
        assert len(lists_that_show(lamps, lamp, (2, 6))) == EVERYWHERE


class TestPages:
    """What is seen and what is heard of a product with two comments, of 5 and of 2 stars."""

    @pytest.fixture
    def pages(self, lamps, lamp):
        post(lamp, 5, 2)
        copy_all()
        word = lamps.word
        return [
            f"/categories/{lamps.slug}/",
            f"/categories/{lamps.slug}/?order=name",
            f"/search/?q={word}",
            f"/search/?q={word[:8]}",
        ]

    def test_show_the_average_and_the_number_in_the_language_of_the_page(self, pages, lamp):
        for language, seen, heard in (
            ("en", "★ 3.5 (2)", "Rated 3.5 of 5 by 2 comments"),
            ("de", "★ 3,5 (2)", "Bewertet mit 3,5 von 5 in 2 Kommentaren"),
        ):
            for path in pages:
                page = visit(path, Accept_Language=language).page
                tile = page.one(data_product=lamp)
                rating = tile.one(class_="rating")
                assert rating.one(aria_hidden="true").text == seen
                assert rating.one(class_="visually-hidden").text == heard

    def test_show_none_of_a_product_without_comments(self, pages, lamps):
        for path in pages:
            tile = visit(path).page.one(data_product=lamps.product_ids[1])
            assert tile.all(class_="rating") == []

    def test_of_a_ranking_say_in_words_what_it_ranks_by(self, lamp, settings):
        post(lamp, 5, 5, 2)
        copy_all()
        settings.PAGE_SIZE = 2_000
        page = visit("/rankings/most-loved/").page
        row = page.one(data_product_id=lamp)
        assert row.one(class_="ranked-score").text == "2 five-star comments"
        assert row.one(class_="rating").one(aria_hidden="true").text == "★ 4.0 (3)"

    def test_suggest_products_with_their_ratings(self, lamps, lamp):
        post(lamp, 5, 2)
        copy_all()
        suggested = visit(f"{reverse('suggestions')}?q={lamps.word}", HX_Request="true").page
        assert "★ 3.5 (2)" in suggested.one(href=f"/products/{lamp}/").text

    def test_of_the_api_have_them_as_numbers(self, lamps, lamp):
        post(lamp, 5, 2)
        copy_all()
        products = NOBODY.get(f"/search?q={lamps.word}").json()["items"]
        found = {product["id"]: product["rating"] for product in products}
        rated, *others = lamps.product_ids
        assert found == {rated: {"average": 3.5, "count": 2}, **dict.fromkeys(others)}


class TestCopies:
    def test_are_owed_once_however_many_comments_come(self, lamp):
        post(lamp, *[5] * 20)
        assert list(owed_copies()).count(lamp) == 1

    @pytest.mark.parametrize(
        "change",
        [{"body": "Other words."}, {"language": "fr"}, {"title": "Another one"}],
        ids=["words", "language", "title"],
    )
    def test_are_not_owed_for_what_changes_no_rating(self, lamp, change):
        (comment,) = post(lamp, 5)
        copy_all()
        edit_comment(load_comment(comment.id), now=NOW, **change)
        assert lamp not in owed_copies()

    def test_are_not_owed_for_a_comment_that_waits_for_staff(self, lamp):
        add_comment(made(lamp), held_for="link")
        assert lamp not in owed_copies()

    @pytest.mark.real_engine
    def test_take_one_write_unit_of_the_writer_of_a_comment(self, lamp):
        with metered() as meter:
            post(lamp, 5)
        owed = meter.labelled("ratings owed")
        assert [(call.operation, call.capacity_units) for call in owed] == [("PutItem", 1.0)]

    @pytest.mark.real_engine
    def test_cost_the_worker_what_the_document_says(self):
        slug, product_id = unique("shelf"), unique("pan")
        pan = NewProduct(product_id, "Enamelled frying pan", (f"{slug}-in",), "", 995, "EUR")
        put_catalogue(categories=[category(slug), category(f"{slug}-in", slug)], products=[pan])
        post(product_id, 5, 4)
        with metered() as meter:
            refresh_ratings([product_id])
        said = "in one category, with a name of three words | the same | 25 |"
        assert said in (PROJECT / "docs" / "writing.md").read_text()
        assert meter.units == 25
        with metered() as meter:
            refresh_ratings([product_id])
        assert meter.units == 6

    @pytest.mark.real_engine
    def test_that_are_right_are_only_read(self, lamp):
        post(lamp, 5)
        copy_all()
        with metered() as meter:
            refresh_ratings([lamp])
        assert {call.operation for call in meter.log} <= {"BatchGetItem", "Query", "GetItem"}

    def test_of_a_product_that_is_not_in_the_catalogue_are_those_of_its_ranks(self, fresh):
        product_id = fresh("unknown")
        post(product_id, 3, 5)
        copy_all()
        for ranking in Ranking:
            assert ratings.rating_in(stored_rank(ranking, product_id)) == Rating(2, 8)


class TestWhatFails:
    @pytest.mark.parametrize("when", ["before it is sent", "after it was applied"])
    def test_is_done_by_the_next_attempt(self, when):
        for fault in faults(when, every_call=False):
            lamps = Shelved.put(1)
            (lamp,) = lamps.product_ids
            post(lamp, 5, 4)
            with fault.injected(), suppress(*FAILURES):
                refresh_ratings([lamp])
            copy_all()
            assert wrong(lamps, {lamp: (2, 9)}) == [], fault.calls

    def test_when_copies_are_owed_is_left_to_the_worker(self, lamps, lamp, caplog):
        with (
            patch.object(ratings, "owe_copies", side_effect=FAILURES[0]),
            caplog.at_level(logging.WARNING),
        ):
            post(lamp, 4)
        assert f"The ratings of 1 products were left to the worker ({lamp})" in caplog.text
        copy_all()
        assert wrong(lamps, {**dict.fromkeys(lamps.product_ids), lamp: (1, 4)}) == []

    def test_to_rank_does_not_keep_the_rating_from_the_rank(self, lamps, lamp):
        with ranks_out_of_reach():
            post(lamp, 5)
        copy_all()
        assert len(lists_that_show(lamps, lamp, (1, 5))) == EVERYWHERE

    def test_is_mended_by_a_second_attempt_at_the_same_comment(self, lamps, lamp):
        (comment,) = post(lamp, 5)
        for owed in QUEUE.waiting():
            QUEUE.discard(owed)
        add_comment(comment)
        copy_all()
        assert len(lists_that_show(lamps, lamp, (1, 5))) == EVERYWHERE


class TestAnOlderRating:
    def test_does_not_stay_where_others_wrote_a_newer_one_meanwhile(self, lamps, lamp):
        post(lamp, 5)
        copy_all()
        (other,) = post(lamp, 1)
        keep, overtaken = PRODUCTS.keep_ratings, []

        def be_overtaken(read: dict[str, Any]) -> None:
            """Keep what was read before another comment was deleted, and that was followed."""
            if not overtaken:
                overtaken.append(read)
                delete_comment(other.id)
                refresh_ratings([lamp])
            keep(read)

        with patch.object(type(PRODUCTS), "keep_ratings", staticmethod(be_overtaken)):
            refresh_ratings([lamp])
        assert overtaken == [{lamp: Rating(2, 6)}]
        assert len(lists_that_show(lamps, lamp, (1, 5))) == EVERYWHERE

    def test_does_not_replace_what_staff_write_meanwhile(self, lamps, lamp):
        post(lamp, 5)

        def rename() -> None:
            change_product(lamp, {"name": f"{lamps.word} anew"}, version=None)

        with before_the_next_transaction(rename):
            refresh_ratings([lamp])
        assert find_editable(lamp).content.name == f"{lamps.word} anew"
        assert len(lists_that_show(lamps, lamp, (1, 5))) == EVERYWHERE


class TestTheCheck:
    def test_finds_nothing_while_copies_are_owed(self, lamp):
        comments = post(lamp, 5)
        finish_what_waits()
        assert [d for d in differences(*comments) if d.kind == "rating"] == []

    def test_finds_and_repairs_a_copy_in_a_rank_and_in_the_catalogue(self, lamps, lamp):
        comments = post(lamp, 5, 4)
        copy_all()
        for ranking in Ranking:
            key = {name: stored_rank(ranking, lamp)[name] for name in ("pk", "sk")}
            client().update_item(TableName=TABLE, Key=key, UpdateExpression="REMOVE m")
        PRODUCTS.keep_ratings({lamp: None})
        found = mended(comments[0])
        assert [(d.kind, d.stored, d.expected) for d in found] == [
            ("rating", "none", "9 stars of 2")
        ] * 3
        assert len(lists_that_show(lamps, lamp, (2, 9))) == EVERYWHERE

    def test_of_the_catalogue_repairs_what_leads_to_a_product(self, lamps, lamp):
        post(lamp, 5, 4)
        copy_all()
        lamps.forget_ratings(lamp)
        assert found_in_the_catalogue(lamp, lamps.slug)
        mend_the_catalogue(lamp, lamps.slug)
        assert len(lists_that_show(lamps, lamp, (2, 9))) == EVERYWHERE
