"""``import_comments --preset olist DIR``: each review a comment on each product of its order."""

from pathlib import Path
from typing import Any

import pytest

from comments.filters import CommentFilter
from comments.keys import comment_key
from comments.lists.queries import find_comment
from comments.models import Comment
from dynapages.lists import PageRequest
from dynapages.process import client
from tests.support.comments.walking import ids_on, read_page
from tests.support.importing import refusal, rejected_in, run_import
from tests.support.shop.olist_folders import ITEMS, ORDERS, REVIEWS, OlistFolder, part_of
from tests.support.shop.olist_truth import rows_of, truth_of

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def shop(fresh):
    """What all ids of a test begin with."""
    return fresh("shop")


@pytest.fixture
def olist(shop):
    """One order of two lamps and a desk, one of a lamp, one of nothing; one review for each."""
    folder = OlistFolder()
    for number, products in enumerate([("lamp", "lamp", "desk"), ("lamp",), ()], 1):
        order_id = f"{shop}-order{number}"
        folder.add_order(order_id, f"{shop}-user{number}", "created", f"2018-01-0{number}")
        for item, product in enumerate(products, 1):
            folder.add(ITEMS, order_id, str(item), f"{shop}-{product}", "10")
        answered = f"2018-02-0{number} 10:00:00"
        folder.add(REVIEWS, "review", order_id, "4", "Ótimo", "Bom\r\ne barato", "", answered)
    return folder


def run(folder: Path, **options: Any) -> dict[str, Any]:
    options = {"rejects": folder / "rejected.csv", **options}
    return run_import("import_comments", folder, preset="olist", **options)


def listed(product_id: str) -> list[str]:
    return ids_on(read_page(product_id, CommentFilter(), PageRequest(50)))


class TestImport:
    def test_reads_dates_in_a_given_format(self, shop, tmp_path):
        folder = OlistFolder()
        folder.add_order(f"{shop}-o", f"{shop}-user", "created", "02/10/2017 10:56")
        folder.add(ITEMS, f"{shop}-o", "1", f"{shop}-lamp", "10")
        folder.add(REVIEWS, "review", f"{shop}-o", "4", "", "Bom", "", "12/10/2017 03:43")
        run(folder.write(tmp_path), date_format=["%d/%m/%Y %H:%M"])
        (comment_id,) = listed(f"{shop}-lamp")
        assert f"{find_comment(comment_id).created:%d.%m. %H:%M}" == "12.10. 03:43"

    def test_marks_reviews_as_verified_purchases_also_those_it_left_unmarked_once(
        self, olist, shop, tmp_path
    ):
        folder = olist.write(tmp_path)
        run(folder)
        (comment_id,) = listed(f"{shop}-desk")
        comment = find_comment(comment_id)
        assert comment.id == f"review-{shop}-order1-{shop}-desk"
        assert (comment.language, comment.rating) == ("pt", 4)
        assert (comment.title, comment.body) == ("Ótimo", "Bom\r\ne barato")
        assert (comment.author, comment.is_verified) == (f"{shop}-user1", True)
        assert comment.user_id == f"{shop}-user1"
        assert f"{comment.created:%Y-%m-%d %H:%M}" == "2018-02-01 10:00"
        client().update_item(
            TableName=Comment.Meta.table_name,
            Key=comment_key(comment_id),
            UpdateExpression="REMOVE v",
        )
        assert run(folder)["replaced"] == 1
        assert find_comment(comment_id).is_verified

    def test_takes_the_newer_of_two_answers(self, olist, shop, tmp_path):
        older = olist.rows[REVIEWS][1] | {
            "review_score": "1",
            "review_answer_timestamp": "2018-02-01 00:00:00",
        }
        olist.rows[REVIEWS].append(older)
        assert run(olist.write(tmp_path))["superseded"] == 1
        assert find_comment(f"review-{shop}-order2-{shop}-lamp").rating == 4


@pytest.mark.parametrize("options", [{}, {"preset": "olist", "product_id": "lamp"}])
def test_a_folder_is_read_by_its_preset_alone(olist, tmp_path, options):
    said = refusal("import_comments", olist.write(tmp_path), **options)
    assert "Of a folder, --preset olist reads" in said


class TestRejectedRows:
    def test_are_reviews_of_an_order_without_items(self, olist, tmp_path):
        assert run(olist.write(tmp_path))["rejected"] == 1
        (row,) = rejected_in(tmp_path / "rejected.csv")
        assert row["line"] == "6"
        assert "has no items" in row["reason"]

    @pytest.mark.parametrize(
        ("stem", "column", "said"),
        [(REVIEWS, "review_score", "rating: “x”"), (ORDERS, "order_status", "is rejected")],
    )
    def test_are_reviews_that_are_wrong_themselves_or_in_their_order(
        self, olist, stem, column, said, tmp_path
    ):
        olist.rows[stem][1][column] = "x"
        assert run(olist.write(tmp_path))["rejected"] == 2
        assert said in rejected_in(tmp_path / "rejected.csv")[0]["reason"]


def check(folder: Path) -> None:
    """Compare all comments of an imported folder with what its files say."""
    pieces = {order.foreign_id: order.pieces for order in truth_of(folder).orders}
    reviews = list(rows_of(folder, REVIEWS))
    counts = run(folder)
    assert counts["rejected"] == sum(not pieces[row["order_id"]] for row in reviews)
    assert counts["read"] == sum(len(pieces[row["order_id"]]) for row in reviews)
    for row in reviews:
        for product_id in pieces[row["order_id"]]:
            comment = find_comment(f"{row['review_id']}-{row['order_id']}-{product_id}")
            assert comment.product_id == product_id
            assert comment.body == row["review_comment_message"]
            assert (str(comment.rating), comment.language) == (row["review_score"], "pt")


@pytest.mark.real_engine
class TestRealReviews:
    def test_of_twenty_users_are_comments(self, real_data, tmp_path):
        source = real_data / "olist"
        check(part_of(source, users=truth_of(source).busiest(20)).write(tmp_path))

    @pytest.mark.slow
    def test_are_all_comments(self, real_data, tmp_path):
        check(part_of(real_data / "olist").write(tmp_path))
