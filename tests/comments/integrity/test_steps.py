"""Each step of ``migrate_items`` brings comments of an older version over, and loses nothing."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from comments import keys
from comments.integrity.steps import STEPS
from comments.items import NewComment
from comments.keys import rank
from comments.models import TABLE
from comments.posting.services import add_comment, edit_comment
from comments.rankings.derivation import Ranking
from comments.replies.queries import find_reply
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import load_comment
from comments.votes.services import take_back, vote
from dynamo.calls.client import client
from dynamo.items import Item, table_key
from dynamo.writes.transactions import ConditionFailed, write_together
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.comments.threads import NOW, differing, made_comment
from tests.support.dynamo.migrating import (
    before_the_write,
    interrupted,
    migrate,
    step_named,
)

pytestmark = pytest.mark.usefixtures("tables")

LONG = "A sentence that goes on. " * 80
MEDIUM = "A sentence that goes on. " * 20
Key = tuple[str, str]


def stored(key: Key) -> Item | None:
    found = client().get_item(TableName=TABLE, Key=table_key(*key), ConsistentRead=True)
    return found.get("Item")


def spoil(key: Key, *removed: str, **values: Any) -> Item:
    """Write what an older version wrote, and give what was there."""
    item = stored(key) or {}
    kept = {name: value for name, value in item.items() if name not in removed}
    client().put_item(TableName=TABLE, Item={**kept, **values})
    return item


def lose(key: Key) -> Item:
    client().delete_item(TableName=TABLE, Key=table_key(*key))
    return {}


@dataclass(frozen=True)
class Old:
    """Items of a comment that were given an older shape, as they were before."""

    comment: NewComment
    before: dict[Key, Item | None]
    meanwhile: Callable[[], object]
    """What may happen to them; nothing of it may be lost."""

    def now(self) -> dict[Key, Item | None]:
        return {key: stored(key) for key in self.before}


def key_of(comment: NewComment, sort_key: str = "") -> Key:
    return keys.comment(comment.id), sort_key or keys.comment(comment.id)


def edited(comment: NewComment) -> Callable[[], object]:
    return lambda: edit_comment(load_comment(comment.id), now=NOW, body=f"New. {LONG}")


def old_excerpt() -> Old:
    """A long text of which lists showed 320 characters."""
    comment = made_comment(body=LONG)
    body = key_of(comment, keys.BODY)
    before = spoil(key_of(comment), x={"S": f"{LONG[:319]}…"})
    return Old(comment, {key_of(comment): before, body: stored(body)}, edited(comment))


def old_whole_text() -> Old:
    """A text that lists showed whole, because it has less than 1,024 bytes."""
    comment = made_comment(body=MEDIUM)
    body = key_of(comment, keys.BODY)
    before = {body: stored(body), key_of(comment): stored(key_of(comment))}
    lose(body)
    spoil(key_of(comment), "m", "d", x={"S": MEDIUM})
    return Old(comment, before, edited(comment))


def replied() -> NewComment:
    comment = made_comment()
    reply_to(comment_id=comment.id, text="Thank you!", author="sam", seen=None, now=NOW)
    return comment


def replied_anew(comment: NewComment) -> Callable[[], object]:
    return lambda: reply_to(
        comment_id=comment.id, text="New.", author="sam", seen=find_reply(comment.id), now=NOW
    )


def old_reply() -> Old:
    """A comment that said only that there is a reply."""
    comment = replied()
    before = spoil(key_of(comment), y={"BOOL": True})
    return Old(comment, {key_of(comment): before}, replied_anew(comment))


def old_reply_without_keys() -> Old:
    comment = replied()
    key = key_of(comment, keys.REPLY)
    return Old(comment, {key: spoil(key, "c", "o")}, replied_anew(comment))


def old_vote() -> Old:
    comment = made_comment()
    vote(comment_id=comment.id, username="bob")
    key = key_of(comment, keys.vote("bob"))
    before = spoil(key, "c", "o")
    return Old(comment, {key: before}, lambda: take_back(comment_id=comment.id, username="bob"))


def old_report() -> Old:
    comment = made_comment()
    how = {"reason": Reason.SPAM, "text": "", "now": NOW}
    report_comment(comment_id=comment.id, username="bob", **how)
    key = key_of(comment, keys.report("bob"))
    return Old(comment, {key: spoil(key, "c", "o")}, edited(comment))


def renamed(comment: NewComment) -> Callable[[], object]:
    shelf = NewCategory("shelf", "Shelf")
    product = NewProduct(comment.product_id, "Renamed", ("shelf",))
    return lambda: put_catalogue(categories=[shelf], products=[product])


def old_ranks() -> Old:
    """The ranks of a product without its name."""
    comment = made_comment()
    ranks = [(rank(one, comment.product_id),) * 2 for one in Ranking]
    before = {key: spoil(key, "t") for key in ranks}
    return Old(comment, before, renamed(comment))


def old_counts() -> Old:
    """The counts of a product by language and rating alone."""
    comment = made_comment()
    key = (keys.counts(comment.product_id, 0),) * 2
    later = replace(comment, id=f"{comment.id}-later", created_at=NOW)
    before = spoil(key, "2026-11.0")
    return Old(comment, {key: before}, lambda: add_comment(later))


OLD: dict[str, tuple[str, Callable[[], Old]]] = {
    "an excerpt": ("listed-texts", old_excerpt),
    "a whole text": ("listed-texts", old_whole_text),
    "a reply": ("listed-replies", old_reply),
    "keys of a reply": ("user-keys", old_reply_without_keys),
    "keys of a vote": ("user-keys", old_vote),
    "keys of a report": ("user-keys", old_report),
    "ranks": ("ranks", old_ranks),
    "counts": ("months", old_counts),
}


def versionless(items: dict[Key, Item | None]) -> dict[Key, Item]:
    """Items without the version of a rank, and the mark of a change of counts."""
    return {
        key: {name: value for name, value in (item or {}).items() if name not in {"w", "_change"}}
        for key, item in items.items()
    }


@pytest.mark.parametrize(("name", "make"), OLD.values(), ids=OLD)
class TestEachStep:
    def test_makes_old_items_what_the_shop_writes_now(self, name, make):
        old = make()
        assert migrate(step_named(STEPS, name)).changed >= 1
        assert versionless(old.now()) == versionless(old.before)
        assert differing(old.comment) == []

    def test_changes_nothing_the_second_time(self, name, make):
        make()
        migrate(step_named(STEPS, name))
        assert migrate(step_named(STEPS, name)).changed == 0

    def test_loses_nothing_that_happens_at_the_same_moment(self, name, make):
        old, undisturbed = make(), make()
        with before_the_write(old.meanwhile, of=next(iter(old.before))[0]):
            migrate(step_named(STEPS, name))
        undisturbed.meanwhile()
        assert differing(old.comment) == differing(undisturbed.comment) == []
        assert shapes(old) == shapes(undisturbed)
        assert migrate(step_named(STEPS, name)).changed == 0

    @pytest.mark.real_engine
    def test_goes_on_where_it_stopped(self, name, make):
        olds = [make() for _ in range(4)]
        reached = interrupted(step_named(STEPS, name), page=7, after=2)
        assert (reached.state, reached.read) == ("interrupted", 14)
        done = migrate(step_named(STEPS, name), restart=False)
        assert (done.state, done.started) == ("finished", reached.started)
        for old in olds:
            assert versionless(old.now()) == versionless(old.before)


def shapes(old: Old) -> list[str]:
    """Items with what differs from one comment to the next left out."""
    items = versionless(old.now()).values()
    written = [json.dumps(item, sort_keys=True, default=str) for item in items]
    ids = (old.comment.id, old.comment.product_id)
    plain = [text.replace(ids[0], "").replace(ids[1], "") for text in written]
    return [re.sub(r"(RANK#\w+#)\d+", r"\1", text) for text in plain]  # shards are of the id


class TestAReplyThatWasReadTooEarly:
    def test_is_not_shown_in_place_of_what_staff_wrote_since(self):
        old = old_reply()
        early = stored(key_of(old.comment, keys.REPLY)) or {}
        old.meanwhile()
        actions = step_named(STEPS, "listed-replies").derive(early)
        with pytest.raises(ConditionFailed):
            write_together(client(), actions)
        assert differing(old.comment) == []
