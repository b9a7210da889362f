"""``import_comments --preset olist DIR``: each review a comment on each product of its order."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments.filters import CommentFilter
from comments.keys import comment as comment_key
from comments.lists.queries import find_comment
from comments.models import Comment
from dynamo.calls.client import client
from dynamo.lists.reader import PageRequest
from tests.support.comments.walking import ids_on, read_page
from tests.support.shop.olist_folders import ITEMS, ORDERS, REVIEWS, OlistFolder, part_of
from tests.support.shop.olist_loading import table
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
    out = StringIO()
    options = {"rejects": folder / "rejected.csv", **options}
    try:
        call_command("import_comments", folder, preset="olist", json=True, stdout=out, **options)
    except CommandError as error:
        assert error.returncode == 1  # noqa: PT017 - rows were rejected; the counts say how many
    counts: dict[str, Any] = json.loads(out.getvalue())
    assert counts["read"] + counts["rejected"] == counts["rows"]
    return counts


def listed(product_id: str) -> list[str]:
    return ids_on(read_page(product_id, CommentFilter(), PageRequest(50)))


def reasons(folder: Path) -> list[tuple[str, str]]:
    with (folder / "rejected.csv").open(encoding="utf-8", newline="") as file:
        return [(row["line"], row["reason"]) for row in csv.DictReader(file)]


class TestImport:
    def test_puts_a_comment_on_each_product_of_the_order(self, olist, shop, tmp_path):
        counts = run(olist.write(tmp_path))
        assert counts["new"] == 3
        assert len(listed(f"{shop}-desk")) == 1

    def test_tells_orders_that_share_a_review_apart(self, olist, shop, tmp_path):
        run(olist.write(tmp_path))
        lamp = f"{shop}-lamp"
        assert listed(lamp) == [f"review-{shop}-order{number}-{lamp}" for number in (2, 1)]

    def test_marks_reviews_as_verified_purchases_also_those_it_left_unmarked_once(
        self, olist, shop, tmp_path
    ):
        folder = olist.write(tmp_path)
        run(folder)
        (comment_id,) = listed(f"{shop}-desk")
        assert find_comment(comment_id).is_verified
        key = {"S": comment_key(comment_id)}
        client().update_item(
            TableName=Comment.Meta.table_name,
            Key={"pk": key, "sk": key},
            UpdateExpression="REMOVE v",
        )
        assert run(folder)["replaced"] == 1
        assert find_comment(comment_id).is_verified

    def test_keeps_what_the_customer_said(self, olist, shop, tmp_path):
        run(olist.write(tmp_path))
        comment = find_comment(f"review-{shop}-order1-{shop}-desk")
        assert (comment.language, comment.rating) == ("pt", 4)
        assert (comment.title, comment.body) == ("Ótimo", "Bom\r\ne barato")
        assert comment.author == f"{shop}-user1"
        assert f"{comment.created:%Y-%m-%d %H:%M}" == "2018-02-01 10:00"

    def test_again_changes_nothing(self, olist, tmp_path):
        run(olist.write(tmp_path))
        before = table(Comment.Meta.table_name)
        assert run(tmp_path)["unchanged"] == 3
        assert table(Comment.Meta.table_name) == before

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
    with pytest.raises(CommandError, match="Of a folder, --preset olist reads") as caught:
        call_command("import_comments", olist.write(tmp_path), **options)
    assert caught.value.returncode == 2


class TestRejectedRows:
    def test_are_reviews_of_an_order_without_items(self, olist, tmp_path):
        assert run(olist.write(tmp_path))["rejected"] == 1
        ((line, reason),) = reasons(tmp_path)
        assert (line, "has no items" in reason) == ("6", True)

    @pytest.mark.parametrize(
        ("stem", "column", "said"),
        [(REVIEWS, "review_score", "rating: “x”"), (ORDERS, "order_status", "is rejected")],
    )
    def test_are_reviews_that_are_wrong_themselves_or_in_their_order(
        self, olist, stem, column, said, tmp_path
    ):
        olist.rows[stem][1][column] = "x"
        assert run(olist.write(tmp_path))["rejected"] == 2
        assert said in reasons(tmp_path)[0][1]


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
    def test_of_a_hundred_users_are_comments(self, real_data, tmp_path):
        source = real_data / "olist"
        check(part_of(source, users=truth_of(source).busiest(100)).write(tmp_path))

    @pytest.mark.slow
    def test_are_all_comments(self, real_data, tmp_path):
        check(part_of(real_data / "olist").write(tmp_path))
