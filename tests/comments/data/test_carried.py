"""What an import carries over from another system: helpful votes, states, a word on pictures."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from comments.data.changes import HELD_ELSEWHERE, VerdictCounts
from comments.data.writer import BulkWriter
from comments.items import NewComment, NewState
from comments.lists.queries import find_comment
from comments.models import Comment
from comments.moderation.services import Decision
from comments.posting.services import delete_comment, edit_comment
from comments.signals import comment_held, comment_posted
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from comments.store.states import State
from comments.votes.services import cast_vote, withdraw_vote
from dynapages.calls import Batches, Pool
from dynapages.django.options import Progress
from dynapages.process import client
from shop.catalogue.services import ensure_products
from tests.support.chance import unique
from tests.support.comments.deciding import decide, hide, restore
from tests.support.comments.threads import differing, helpful, mended, moderated, spoil
from tests.support.comments.truth import START
from tests.support.importing import refusal, rejected_in, run_import

pytestmark = pytest.mark.usefixtures("few_items")

VOTERS = ("bob", "cat", "dan")
STATES = {
    State.LISTED: NewState.PUBLISHED,
    State.HIDDEN: NewState.HIDDEN,
    State.HELD: NewState.HELD,
}


def brought(**told: Any) -> NewComment:
    """A comment as an import brings it, on a product of its own."""
    product_id = unique("product")
    ensure_products(product_ids={product_id})
    comment = NewComment(
        id=unique("comment"),
        product_id=product_id,
        language="en",
        rating=4,
        created_at=START,
        author="Ann",
        title="Good",
        body="It works.",
    )
    return replace(comment, **told)


def write(*comments: NewComment) -> VerdictCounts:
    writer = BulkWriter(Batches(client(), Pool(1)), announces=True)
    verdicts = writer.write(comments)
    assert writer.finish(Progress(shown=False)) == 0
    return verdicts


def state_of(comment: NewComment) -> State:
    return load_comment(comment.id).state


def counted(comment: NewComment) -> int:
    return read_counts(comment.product_id, consistent=True).total


class TestImportedVotes:
    def test_are_shown_and_ranked(self):
        comment = brought(helpful=12)
        write(comment)
        assert find_comment(comment.id).helpful_votes == 12
        assert helpful(comment) == [12]
        assert differing(comment) == []

    def test_of_zero_are_no_rank(self):
        comment = brought(helpful=0)
        write(comment)
        assert helpful(comment) == []
        assert differing(comment) == []

    def test_stay_below_later_votes(self):
        comment = brought(helpful=12)
        write(comment)
        assert cast_vote(comment_id=comment.id, user_id="bob") == 13
        assert cast_vote(comment_id=comment.id, user_id="bob") == 13
        assert helpful(comment) == [13]
        assert withdraw_vote(comment_id=comment.id, user_id="bob") == 12
        assert helpful(comment) == [12]
        assert differing(comment) == []

    @pytest.mark.parametrize("attribute", ["p", "k"])
    def test_are_part_of_what_a_repair_counts(self, attribute):
        comment = brought(helpful=12)
        write(comment)
        cast_vote(comment_id=comment.id, user_id="bob")
        spoil(comment, attribute, {"S": "0000000001#x"})
        mended(comment)
        assert helpful(comment) == [13]

    def test_are_found_missing_in_the_ranking_without_any_vote(self):
        comment = brought(helpful=12)
        write(comment)
        Comment(**load_key(comment)).update(
            actions=[Comment.rank_partition.remove(), Comment.rank_place.remove()]
        )
        mended(comment)
        assert helpful(comment) == [12]

    def test_are_replaced_by_another_number_alone(self):
        comment = brought(helpful=12)
        write(comment)
        cast_vote(comment_id=comment.id, user_id="bob")
        assert write(replace(comment, helpful=20)).replaced == 1
        assert helpful(comment) == [21]
        assert write(replace(comment, helpful=20)).unchanged == 1
        assert write(replace(comment, helpful=0)).replaced == 1
        assert helpful(comment) == [1]
        assert differing(comment) == []

    def test_stay_where_a_file_does_not_say_them(self):
        comment = brought(helpful=12)
        write(comment)
        assert write(replace(comment, helpful=None, title="Better")).replaced == 1
        assert helpful(comment) == [12]

    def test_move_with_the_comment_to_another_product(self):
        comment = brought(helpful=12)
        write(comment)
        moved = brought(id=comment.id, helpful=12)
        assert write(moved).moved == 1
        assert helpful(comment) == []
        assert helpful(moved) == [12]
        assert differing(comment, moved) == []

    def test_stay_while_its_author_edits_it(self):
        comment = brought(helpful=12, user_id="ann")
        write(comment)
        edit_comment(load_comment(comment.id), body="It broke.", now=START)
        assert helpful(comment) == [12]
        assert differing(comment) == []

    def test_come_back_with_a_comment_that_was_hidden(self):
        comment = brought(helpful=12)
        write(comment)
        hide(comment_id=comment.id)
        assert helpful(comment) == []
        restore(comment_id=comment.id)
        assert helpful(comment) == [12]
        assert differing(comment) == []

    def test_of_a_deleted_comment_are_those_of_the_new_import(self):
        comment = brought(helpful=12)
        write(comment)
        cast_vote(comment_id=comment.id, user_id="bob")
        delete_comment(comment.id)
        assert write(replace(comment, helpful=5)).new == 1
        assert helpful(comment) == [5]
        assert differing(comment) == []

    def test_of_an_export_count_only_where_the_comment_is_new(self):
        comment = brought(helpful=12)
        write(comment)
        cast_vote(comment_id=comment.id, user_id="bob")
        exported = replace(comment, helpful=None, exported_votes=13)
        assert write(exported).unchanged == 1
        assert helpful(comment) == [13]
        elsewhere = replace(exported, id=unique("comment"))
        assert write(elsewhere).new == 1
        assert helpful(elsewhere) == [13]

    @given(
        st.lists(
            st.one_of(
                st.tuples(st.just("import"), st.sampled_from([None, 0, 1, 7])),
                st.tuples(st.sampled_from(["vote", "withdraw"]), st.sampled_from(VOTERS)),
                st.tuples(st.sampled_from(["hide", "restore"]), st.none()),
            ),
            max_size=8,
        )
    )
    def test_and_those_of_users_add_up(self, steps):
        comment = brought()
        write(comment)
        imported, voters, is_hidden = 0, set(), False
        for step, value in steps:
            if step == "import":
                write(replace(comment, helpful=value))
                if value is not None and not is_hidden:
                    imported = value
            elif step in {"hide", "restore"}:
                if is_hidden != (step == "hide"):
                    is_hidden = not is_hidden
                    (hide if is_hidden else restore)(comment_id=comment.id)
            elif is_hidden:
                continue
            elif step == "vote":
                cast_vote(comment_id=comment.id, user_id=value)
                voters.add(value)
            else:
                withdraw_vote(comment_id=comment.id, user_id=value)
                voters.discard(value)
            total = imported + len(voters)
            assert helpful(comment) == ([] if is_hidden or not total else [total])
        assert differing(comment) == []


def load_key(comment: NewComment) -> dict[str, str]:
    item = load_comment(comment.id).item
    return {"pk": item["pk"]["S"], "sk": item["sk"]["S"]}


class TestStates:
    @pytest.mark.parametrize("state", [NewState.HIDDEN, NewState.HELD])
    def test_are_in_no_list_and_not_counted(self, state):
        comment = brought(state=state, helpful=3)
        write(comment)
        assert counted(comment) == 0
        assert helpful(comment) == []
        assert differing(comment) == []

    def test_of_a_hidden_one_is_shown_to_staff_who_restore_it(self):
        comment = brought(state=NewState.HIDDEN, helpful=3)
        write(comment)
        assert moderated(comment, State.HIDDEN) is not None
        restore(comment_id=comment.id)
        assert counted(comment) == 1
        assert helpful(comment) == [3]
        assert differing(comment) == []

    def test_of_a_held_one_waits_in_its_queue_until_staff_publish_it(self):
        comment = brought(state=NewState.HELD)
        write(comment)
        found = moderated(comment, State.HELD)
        assert found is not None
        assert found.held_for == HELD_ELSEWHERE
        decide(Decision.PUBLISH, comment.id, seen=None, now=None)
        assert counted(comment) == 1
        assert differing(comment) == []

    def test_do_not_hide_what_is_listed_nor_show_its_hidden_words(self):
        comment = brought()
        write(comment)
        hidden = replace(comment, state=NewState.HIDDEN, body="Not for everybody.")
        assert write(hidden).superseded == 1
        assert find_comment(comment.id).body == comment.body

    def test_are_announced_as_they_are(self):
        sent: list[object] = []

        def receive(signal: object, **_more: object) -> None:
            sent.append(signal)

        for signal in (comment_posted, comment_held):
            signal.connect(receive)
        try:
            for state in NewState:
                write(brought(state=state))
        finally:
            for signal in (comment_posted, comment_held):
                signal.disconnect(receive)
        assert sent == [comment_posted, comment_held]

    @given(
        st.lists(
            st.one_of(
                st.tuples(st.just("import"), st.sampled_from(NewState), st.integers(0, 2)),
                st.tuples(st.just("decide"), st.sampled_from(Decision), st.none()),
            ),
            max_size=6,
        )
    )
    def test_are_those_of_the_first_import_and_of_staff_behind_it(self, steps):
        comment = brought()
        state: State | None = None
        title = ""
        steps_of_staff = {
            (State.HELD, Decision.PUBLISH): State.LISTED,
            (State.HELD, Decision.REJECT): State.HIDDEN,
            (State.LISTED, Decision.HIDE): State.HIDDEN,
            (State.HIDDEN, Decision.RESTORE): State.LISTED,
        }
        by_name = {new: old for old, new in STATES.items()}
        for step, what, number in steps:
            if step == "import":
                write(replace(comment, state=what, title=f"Title {number}"))
                if state is None:
                    state, title = by_name[what], f"Title {number}"
                elif state is State.LISTED and what is NewState.PUBLISHED:
                    title = f"Title {number}"
            elif state is not None and (state, what) in steps_of_staff:
                decide(what, comment.id, seen=None, now=None)
                state = steps_of_staff[state, what]
            if state is not None:
                assert state_of(comment) is state
                assert load_comment(comment.id).comment.title == title
                assert counted(comment) == int(state is State.LISTED)
        assert differing(comment) == []

    @pytest.mark.parametrize("state", NewState)
    def test_again_change_nothing(self, state):
        comment = brought(state=state, helpful=2)
        write(comment)
        assert write(comment).unchanged == 1


# Files


def file_of(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """A file of JSON lines, whose rows have what a comment needs beside what they say."""
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            whole = {
                "id": f"{path.parent.name}-{number}",
                "product_id": f"{path.parent.name}-of-file",
                "language": "en",
                "rating": 5,
                "created_at": "2024-01-01",
                **row,
            }
            file.write(json.dumps(whole) + "\n")
    return path


def imported(path: Path, **options: Any) -> dict[str, Any]:
    return run_import("import_comments", path, rejects=path.parent / "rejected.csv", **options)


def reasons(path: Path) -> list[str]:
    return [row["reason"] for row in rejected_in(path.parent / "rejected.csv")]


class TestFileWithStates:
    def test_brings_each_row_in_its_state(self, tmp_path):
        rows = [{"state": "published"}, {"state": "Hidden"}, {"state": "held "}, {}]
        path = file_of(tmp_path / "a.jsonl", rows)
        counts = imported(path)
        assert (counts["hidden"], counts["held"]) == (1, 1)
        found = [load_comment(f"{tmp_path.name}-{n}").state for n in range(4)]
        assert found == [State.LISTED, State.HIDDEN, State.HELD, State.LISTED]

    @pytest.mark.parametrize("word", ["spam", "", 1, None])
    def test_is_refused_a_word_that_is_none(self, tmp_path, word):
        path = file_of(tmp_path / "a.jsonl", [{"state": word}])
        imported(path)
        (reason,) = reasons(path)
        assert "is none of published, hidden, held: --state-map says which it means" in reason

    def test_says_its_own_words_by_a_map(self, tmp_path):
        rows = [{"status": "1"}, {"status": "0"}, {"status": "SPAM"}]
        path = file_of(tmp_path / "a.jsonl", rows)
        imported(path, columns="state=status", state_map="1=published,0=held,spam=hidden")
        found = [load_comment(f"{tmp_path.name}-{n}").state for n in range(3)]
        assert found == [State.LISTED, State.HELD, State.HIDDEN]

    @pytest.mark.parametrize("row", [{}, {"moderation": None}, {"moderation": {}}])
    def test_is_refused_a_row_without_the_column_that_is_named(self, tmp_path, row):
        rows = [{"moderation": {"status": "held"}}, row]
        path = file_of(tmp_path / "a.jsonl", rows)
        counts = imported(path, columns="state=moderation.status")
        assert (counts["held"], counts["rejected"]) == (1, 1)
        assert "state: “” is none of published, hidden, held" in reasons(path)[0]

    def test_is_refused_a_map_to_what_is_no_state(self, tmp_path):
        path = file_of(tmp_path / "a.jsonl", [{}])
        sentence = refusal("import_comments", path, state_map="spam=deleted")
        assert sentence == "“deleted” is no state: use one of published, hidden, held."

    def test_named_to_a_preset_decides_instead_of_what_is_published(self, tmp_path):
        rows = []
        for word in ("0", "1"):
            rows.append({"date_created": "2024-01-01", "review": "Fine", "comment_approved": word})
        path = file_of(tmp_path / "a.jsonl", rows)
        assert imported(path, preset="woocommerce")["rejected"] == 1
        counts = imported(
            path,
            preset="woocommerce",
            columns="state=comment_approved",
            state_map="0=held,1=published",
        )
        assert (counts["rejected"], counts["held"]) == (0, 1)


class TestFileWithVotes:
    @pytest.mark.parametrize(("value", "votes"), [(3, 3), ("4", 4), ("3.0", 3), ("", 0), (0, 0)])
    def test_brings_numbers(self, tmp_path, value, votes):
        imported(file_of(tmp_path / "a.jsonl", [{"helpful": value}]))
        assert find_comment(f"{tmp_path.name}-0").helpful_votes == votes

    @pytest.mark.parametrize("value", [-1, "many", "1.5", "1,234", "9" * 10])
    def test_is_refused_what_is_no_number_of_votes(self, tmp_path, value):
        path = file_of(tmp_path / "a.jsonl", [{"helpful": value}])
        imported(path)
        (reason,) = reasons(path)
        assert "is no whole number from 0 to 999999999: --columns helpful= leaves it" in reason


class TestFileWithPictures:
    def test_says_once_that_they_are_not_kept(self, tmp_path):
        rows = [
            {"images": [{"large": "https://a.example/1.jpg"}]},
            {"images": '["https://a.example/2.jpg"]'},
            {"images": []},
            {"images": "[]"},
            {"images": None},
            {},
        ]
        path = file_of(tmp_path / "a.jsonl", rows)
        assert imported(path)["rows_with_pictures"] == 2
        out = StringIO()
        call_command("import_comments", path, stdout=out)
        assert out.getvalue().count("Rows with pictures, which are not kept: 2.") == 1

    def test_names_their_column(self, tmp_path):
        path = file_of(tmp_path / "a.jsonl", [{"photos": "https://a.example/1.jpg"}])
        assert imported(path)["rows_with_pictures"] == 0
        assert imported(path, columns="pictures=photos")["rows_with_pictures"] == 1
