"""``export_comments``, there and back: what was exported imports again to the same items."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command
from ulid import ULID

from comments.data import exports as queries
from comments.items import LONGEST_LISTED_TEXT, NewComment, NewReply, NewState
from comments.lists.queries import find_comment
from comments.models import TABLE
from comments.posting.services import delete_comment
from comments.store.comments import load_comment
from comments.store.states import State
from comments.votes.services import cast_vote
from dynapages.calls import metered
from dynapages.files.exports import progress_of
from dynapages.items import Item
from dynapages.process import client
from shop.catalogue.services import ensure_products
from shop.catalogue.stored import stored_products
from tests.support.comments.deciding import hide, restore
from tests.support.comments.loading import delete_all_comments, load
from tests.support.comments.outage import own_engine

pytestmark = [pytest.mark.usefixtures("few_items"), pytest.mark.real_engine]

START = datetime(2024, 1, 1, tzinfo=UTC)
TEXTS = (
    "",
    "short",
    '"quoted", with; all\tkinds of separators',
    "two\r\nlines\nand\rmore",
    "🎉 日本語 ünïcödé ",
    " white space at its ends ",
    "long " * (LONGEST_LISTED_TEXT // 4),
    "=1+1",
    "<b>Tags</b> &amp; references that somebody <i>shows</i>",
)
SITE = {"site": "https://shop.example", "publisher": "Shop & Sons"}


@pytest.fixture(autouse=True)
def _no_comments():
    delete_all_comments()
    yield
    delete_all_comments()


@pytest.fixture
def comments():
    """Comments on two products with everything that an import can bring."""
    rng = Random(7)
    made = [_comment(rng, number) for number in range(60)]
    load(made)
    return made


def _comment(rng: Random, number: int) -> NewComment:
    created = START + timedelta(microseconds=rng.randrange(10**12))
    replied = rng.choice([None, created + timedelta(days=1, microseconds=5)])
    is_by_user = number % 5 == 0
    return NewComment(
        id=str(ULID()) if is_by_user else f"review/{number} №",
        product_id=rng.choice(["lamp", "chair"]),
        language=rng.choice(["en", "de", "ja"]),
        rating=rng.randint(1, 5),
        created_at=created,
        author="ann" if is_by_user else rng.choice(["", "Zoë, of “X”"]),
        title=rng.choice(TEXTS[:5]),
        body=rng.choice(TEXTS),
        user_id="ann" if is_by_user else "",
        verified=rng.random() < 0.3,
        reply=NewReply(rng.choice(TEXTS[1:]), replied) if rng.random() < 0.3 else None,
    )


def export(path: Path, **options: Any) -> str:
    out = StringIO()
    call_command("export_comments", output=path, stdout=out, **options)
    return out.getvalue()


def stored() -> dict[tuple[str, str], Item]:
    """Comments, texts, replies and counts, but for the mark of a counter's last change."""
    pages = client().get_paginator("scan").paginate(TableName=TABLE, ConsistentRead=True)
    items = [item for page in pages for item in page["Items"]]
    return {
        (item["pk"]["S"], item["sk"]["S"]): {
            name: value for name, value in item.items() if name != "_change"
        }
        for item in items
        if item["pk"]["S"].startswith(("COMMENT#", "COUNTS#"))
    }


PRODUCTS = ("lamp", "chair", "desk-1")


def shown_product(product_id: str) -> tuple[str, str | None]:
    product = stored_products([product_id])[product_id].content
    return product.name, product.external_id


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()]


def newest_first(comments: Iterable[NewComment], product_id: str) -> list[str]:
    of_product = [comment for comment in comments if comment.product_id == product_id]
    return [c.id for c in sorted(of_product, key=lambda c: (c.created_at, c.id), reverse=True)]


class TestThereAndBack:
    @pytest.mark.parametrize("form", ["csv", "jsonl"])
    def test_are_the_same_items(self, tmp_path, comments, form):
        path = tmp_path / f"all.{form}"
        before = stored()
        assert "60 rows" in export(path, format=form)
        delete_all_comments()
        call_command("import_comments", path, stdout=StringIO())
        assert stored() == before

    @pytest.mark.parametrize("form", ["csv", "jsonl"])
    def test_keep_the_names_and_ids_elsewhere_of_their_products(self, tmp_path, form):
        path = tmp_path / f"all.{form}"
        with own_engine():
            ensure_products(
                ["lamp", "chair", "desk-1"],
                originals={"desk-1": "desk / 1", "chair": "№ 7"},
                names={"lamp": "Desk lamp", "chair": "Chair, “blue”"},
            )
            rng = Random(3)
            load(replace(_comment(rng, n), product_id=p) for n, p in enumerate(PRODUCTS))
            export(path, format=form)
            before = [shown_product(product_id) for product_id in PRODUCTS]
        with own_engine():
            call_command("import_comments", path, stdout=StringIO())
            assert [shown_product(product_id) for product_id in PRODUCTS] == before
        names = {"Desk lamp": None, "Chair, “blue”": "№ 7", "desk / 1": "desk / 1"}
        assert dict(before) == names

    def test_of_the_feed_are_the_same_but_for_replies_and_users(self, tmp_path, comments):
        path = tmp_path / "feed.xml"
        export(path, format="google-xml", **SITE)
        delete_all_comments()
        call_command("import_comments", path, preset="google", keep_html=True, stdout=StringIO())
        for comment in comments:
            found = find_comment(comment.id)
            assert (found.body, found.title) == (comment.body, comment.title)
            assert (found.language, found.rating) == (comment.language, comment.rating)
            assert (found.created, found.product_id) == (comment.created_at, comment.product_id)
            assert found.author == comment.author


class TestVotesAndStates:
    @pytest.mark.parametrize("form", ["csv", "jsonl"])
    def test_go_to_another_shop(self, tmp_path, comments, form):
        hidden, voted, held = comments[0], comments[1], comments[2]
        cast_vote(comment_id=hidden.id, user_id="bob")
        cast_vote(comment_id=voted.id, user_id="bob")
        hide(comment_id=hidden.id, now=datetime.now(UTC))
        delete_comment(held.id)
        load([replace(held, id="held", state=NewState.HELD)])
        path = tmp_path / f"all.{form}"
        export(path, format=form, hidden=True)
        delete_all_comments()
        call_command("import_comments", path, stdout=StringIO())
        states = [load_comment(each).state for each in (hidden.id, voted.id, "held")]
        assert states == [State.HIDDEN, State.LISTED, State.HELD]
        assert find_comment(voted.id).helpful_votes == 1
        restore(comment_id=hidden.id)
        assert find_comment(hidden.id).helpful_votes == 1

    def test_are_the_same_when_an_export_comes_back(self, tmp_path, comments):
        cast_vote(comment_id=comments[1].id, user_id="bob")
        path = tmp_path / "product.jsonl"
        export(path, product=comments[1].product_id, format="jsonl")
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        votes = {row["id"]: row["exported_votes"] for row in rows if "exported_votes" in row}
        assert votes == {comments[1].id: 1}
        before = stored()
        call_command("import_comments", path, stdout=StringIO())
        assert stored() == before

    @pytest.mark.parametrize("options", [{"product": "lamp"}, {"format": "google-xml"}])
    def test_of_what_is_hidden_are_in_no_list(self, tmp_path, comments, options):
        with pytest.raises(CommandError, match="leave out --"):
            export(tmp_path / "a", hidden=True, **options)


class TestExport:
    def test_of_a_product_is_newest_first_and_scans_nothing(self, tmp_path, comments):
        path = tmp_path / "lamp.jsonl"
        with metered() as meter:
            export(path, product="lamp", format="jsonl")
        assert ids(path) == newest_first(comments, "lamp")
        assert "Scan" not in {call.operation for call in meter.log}

    def test_leaves_hidden_comments_out(self, tmp_path, comments):
        hide(comment_id=comments[0].id, now=datetime.now(UTC))
        for options in ({}, {"product": comments[0].product_id}):
            export(tmp_path / "some.jsonl", format="jsonl", **options)
            assert comments[0].id not in ids(tmp_path / "some.jsonl")

    def test_of_a_product_that_does_not_exist_is_refused(self, tmp_path):
        with pytest.raises(CommandError, match="There is no product “ghost”") as caught:
            export(tmp_path / "a.csv", product="ghost")
        assert caught.value.returncode == 2


class TestFeed:
    def test_is_complete_and_in_the_order_of_the_schema(self, tmp_path, comments):
        path = tmp_path / "feed.xml"
        export(path, format="google-xml", **SITE)
        feed = ET.parse(path).getroot()  # noqa: S314 - we have just written it
        assert [child.tag for child in feed] == ["version", "publisher", "reviews"]
        assert feed.findtext("publisher/name") == "Shop & Sons"
        reviews = feed.findall("reviews/review")
        assert {review.findtext("review_id") for review in reviews} == {c.id for c in comments}
        for review in reviews:
            tags = [child.tag for child in review]
            order = [
                *("review_id", "reviewer", "is_verified_purchase", "review_timestamp", "title"),
                *("content", "review_language", "review_url", "ratings", "products"),
            ]
            assert tags == [tag for tag in order if tag in tags]
            assert {"review_id", "reviewer", "review_timestamp", "content"} <= {*tags}
            assert review.findtext("review_url", "").startswith("https://shop.example/comments/")

    def test_is_not_of_one_product_alone(self, tmp_path):
        with pytest.raises(CommandError, match="has to be complete") as caught:
            export(tmp_path / "feed.xml", format="google-xml", product="lamp", **SITE)
        assert caught.value.returncode == 2

    @pytest.mark.parametrize("site", [None, "ftp://shop.example"])
    def test_needs_the_address_of_the_site(self, tmp_path, site):
        with pytest.raises(CommandError, match="--site") as caught:
            export(tmp_path / "feed.xml", format="google-xml", site=site)
        assert caught.value.returncode == 2


class TestInterruptedExport:
    @pytest.mark.parametrize("options", [{"product": "lamp"}, {}, {"format": "google-xml", **SITE}])
    def test_goes_on_where_it_stopped(self, tmp_path, comments, monkeypatch, options):
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        export(whole, **options)
        monkeypatch.setattr(queries, "AT_A_TIME", 7)
        monkeypatch.setattr("dynapages.files.export_command.SCANNED_AT_A_TIME", 20)
        interruptions = 0
        for failing_at in range(1, 30):
            with monkeypatch.context() as failing:
                _fail_at(failing, failing_at)
                try:
                    export(parts, **options)
                except SystemExit:
                    interruptions += 1
                    assert progress_of(parts).exists()
                    continue
            break
        assert parts.read_bytes() == whole.read_bytes()
        assert not progress_of(parts).exists()
        assert interruptions > 2


def _fail_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Interrupt the reading of rows at one of its times."""
    rows, calls = queries._rows, iter(range(1, 1000))

    def failing(*arguments: Any) -> Any:
        if next(calls) == number:
            raise KeyboardInterrupt
        return rows(*arguments)

    monkeypatch.setattr(queries, "_rows", failing)
