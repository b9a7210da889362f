"""Staff pick comments, and a product's page shows the newest of them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from comments.imports.writer import BulkWriter
from comments.lists.page import SHOWN_PICKS, find_picks
from comments.moderation.services import feature, hide, unfeature
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.store.comments import NoSuchComment, load_comment
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.meter import metered
from tests.support.comments.threads import NOW, differing, made_comment
from tests.support.comments.truth import START
from tests.support.comments.writers import someone

pytestmark = pytest.mark.usefixtures("few_items")


@pytest.fixture
def comment():
    return made_comment()


@pytest.fixture
def sam():
    return someone("sam", is_staff=True)


def picked(product_id: str) -> list[str]:
    return [pick.id for pick in find_picks(product_id)]


class TestPicking:
    def test_shows_it_until_it_is_taken_back(self, comment):
        for _ in range(2):
            feature(comment.id)
            assert picked(comment.product_id) == [comment.id]
        for _ in range(2):
            unfeature(comment.id)
            assert picked(comment.product_id) == []
        assert differing(comment) == []

    def test_shows_the_newest_few(self, comment):
        newer = [
            replace(comment, id=f"{comment.id}-{n}", created_at=START + timedelta(minutes=n))
            for n in range(1, SHOWN_PICKS + 2)
        ]
        for each in newer:
            add_comment(each)
        for each in (comment, *newer):
            feature(each.id)
        assert picked(comment.product_id) == [each.id for each in reversed(newer)][:SHOWN_PICKS]

    def test_of_what_is_hidden_or_gone_is_refused(self, comment):
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            feature(comment.id)
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            feature(comment.id)
        assert differing(comment) == []

    def test_survives_an_edit_and_goes_with_the_comment(self, comment):
        feature(comment.id)
        edit_comment(load_comment(comment.id), now=NOW, rating=2)
        assert picked(comment.product_id) == [comment.id]
        delete_comment(comment.id)
        assert picked(comment.product_id) == []
        assert differing(comment) == []

    def test_moves_with_an_import_to_another_product(self, comment, fresh):
        feature(comment.id)
        newer = replace(comment, product_id=fresh("product"), created_at=NOW, username="")
        BulkWriter(Batches(client(), pool())).write([newer])
        assert (picked(comment.product_id), picked(newer.product_id)) == ([], [comment.id])

    @pytest.mark.real_engine
    def test_writes_to_its_own_index_alone(self, comment):
        with metered() as meter:
            feature(comment.id)
        assert [call.capacity_units for call in meter.calls] == [1.0, 2.0]

    @pytest.mark.real_engine
    def test_takes_one_query_of_the_page(self, comment):
        with metered() as meter:
            find_picks(comment.product_id)
        indexes = [call.index for call in meter.calls]
        assert indexes.count("featured") == 1
        assert {call.capacity_units for call in meter.calls} == {0.5}


class TestPages:
    def test_let_staff_pick_and_take_back(self, sam, comment):
        url, product = f"/comments/{comment.id}/", f"/products/{comment.product_id}/"
        for value, shown_picks in (("yes", [comment.id]), ("no", [])):
            form = sam.get(url).page.one("form", action=f"/staff/comments/feature/{comment.id}/")
            assert form.one("input", name="featured")["value"] == value
            assert sam.post(form["action"], {"featured": value}).status == 200
            picks = sam.get(product).page.all(class_="pick")
            assert [pick["data-pick-id"] for pick in picks] == shown_picks

    def test_have_no_section_without_picks(self, sam, comment):
        assert sam.get(f"/products/{comment.product_id}/").page.all(class_="picks") == []

    def test_read_them_for_the_whole_page_alone(self, sam, comment):
        with metered() as meter:
            sam.get(f"/products/{comment.product_id}/", htmx=True)
        assert "featured" not in {call.index for call in meter.calls}
