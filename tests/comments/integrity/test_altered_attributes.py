"""Each attribute of a comment that is altered behind everybody's back is found by a check.

What follows from others is found in the table of comments itself. What the author wrote follows
from nothing: it is found by the tables that are derived from it.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest

from comments import keys
from comments.items import NewComment
from comments.models import TABLE as COMMENTS
from comments.posting.services import add_comment, edit_comment
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.search.integrity import word_differences
from comments.search.models import TABLE as WORDS
from comments.search.models import WordItem
from comments.sets.copies import is_primary
from comments.sets.integrity import set_differences
from comments.sets.models import TABLE as SETS
from comments.sets.models import CommentSetItem
from comments.store.comments import load_comment
from comments.votes.services import cast_vote
from dynapages.items import Item, Value
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages.upkeep import every_item
from dynapages_testing.strict import refuse_what_aws_refuses
from tests.support.chance import unique
from tests.support.comments.deciding import feature, hide
from tests.support.comments.options import comments_set
from tests.support.comments.outage import own_engine
from tests.support.comments.read_models import fill
from tests.support.comments.threads import NOW, differing, items_in, spoil
from tests.support.comments.truth import written
from tests.support.sets.stored import stored_items
from tests.support.work import finish_what_waits

pytestmark = [pytest.mark.usefixtures("all_tables"), pytest.mark.real_engine]

FACTS = {"u", "t", "e", "v", "n"}
"""What the author did, besides a long text, of which lists show what follows from its body."""
MARKS_OF_WRITERS = {"w", "rd"}
"""What writers compare with what they read before: any value is right."""
KEYS = {"pk", "sk", "o"}
"""The keys of the three tables: an item with another key is another item."""
LONG_ID = "lg:" + "A" * 80


@pytest.fixture(scope="module")
def all_tables(tables):
    """The three tables, in an engine of the module's own, with two comments in all of them."""
    with own_engine(), comments_set(READ_MODEL="sets", SEARCH=True):
        create_missing([CommentSetItem], client=client(), streams=False)
        create_missing([WordItem], client=client())
        refuse_what_aws_refuses(client())
        yield


@pytest.fixture(scope="module")
def comment(all_tables):
    """A comment with all that one can have, under an id that does not fit into keys."""
    comment = written(
        unique("product"),
        id=LONG_ID,
        user_id="ann",
        title="Fine",
        body="It works well. " * 40,
        verified=True,
    )
    add_comment(comment)
    edit_comment(load_comment(comment.id), now=NOW, title="Finer")
    reply_to(comment_id=comment.id, text="Thank you!", user_id="sam", seen=None, now=NOW)
    cast_vote(comment_id=comment.id, user_id="bob")
    feature(comment.id)
    report_comment(comment_id=comment.id, user_id="bob", reason=Reason.SPAM, text="", now=NOW)
    finish_what_waits()
    fill([comment.id])
    return comment


@pytest.fixture(scope="module")
def hidden(all_tables):
    """A comment that staff have hidden."""
    comment = written(unique("product"), id=f"{LONG_ID}-hidden", user_id="ann")
    add_comment(comment)
    hide(comment_id=comment.id)
    finish_what_waits()
    return comment


def altered(value: Value) -> Value:
    """Another value of the same type."""
    ((kind, content),) = value.items()
    others = {
        "S": lambda: f"{content}x",
        "N": lambda: str(int(content) + 1),
        "BOOL": lambda: not content,
        "B": lambda: b"another",
        "M": dict,
        "SS": lambda: [*content, "another"],
        "BS": lambda: [*content, b"another"],
    }
    return {kind: others[kind]()}


def unnoticed(table: str, item: Item, differences: Callable[[], Collection[object]]) -> set[str]:
    """Alter each attribute of an item in turn; return those that a check does not find."""
    missed = set()
    for name in item.keys() - KEYS:
        client().put_item(TableName=table, Item={**item, name: altered(item[name])})
        if not differences():
            missed.add(name)
    client().put_item(TableName=table, Item=item)
    assert not differences()
    return missed


def item_of(comment: NewComment) -> Item:
    return load_comment(comment.id).item


class TestTheTableOfComments:
    def test_finds_all_that_follows_from_other_attributes(self, comment):
        missed = unnoticed(COMMENTS, item_of(comment), lambda: differing(comment))
        assert missed == FACTS | MARKS_OF_WRITERS

    def test_finds_it_of_what_belongs_to_a_comment(self, comment):
        missed = set()
        for sort_key in (keys.REPLY, keys.vote("bob"), keys.report("bob")):
            item = items_in(comment.id)[sort_key]
            missed |= unnoticed(COMMENTS, item, lambda: differing(comment))
        assert missed == {"at", "reason", "n"}

    def test_finds_a_place_with_another_id(self, comment):
        item = item_of(comment)
        spoil(comment, "o", altered(item["o"]))
        digest = keys.comment_id_in(item["pk"]["S"])
        assert differing(replace(comment, id=digest))
        spoil(comment, "o", item["o"])
        assert not differing(comment)

    def test_finds_a_hidden_comment_that_is_in_the_wrong_queue(self, hidden):
        missed = unnoticed(COMMENTS, item_of(hidden), lambda: differing(hidden))
        assert not missed & {"q", "j"}


class TestTheTableOfCopies:
    def test_finds_all(self, comment):
        stored = stored_items(comment.id)
        primary, copy = (
            next(item for item in stored.values() if is_primary(item) == wanted)
            for wanted in (True, False)
        )
        for item in (primary, copy):
            assert unnoticed(SETS, item, lambda: list(set_differences())) == set()

    def test_finds_what_the_author_wrote(self, comment):
        missed = unnoticed(COMMENTS, item_of(comment), lambda: list(set_differences()))
        assert not missed & FACTS


class TestTheTableOfWords:
    def test_finds_all(self, comment):
        posting = next(item for item in every_item(client(), WORDS) if "w" in item)
        assert unnoticed(WORDS, posting, lambda: list(word_differences())) == set()

    def test_finds_what_the_author_wrote(self, comment):
        missed = unnoticed(COMMENTS, item_of(comment), lambda: list(word_differences()))
        assert not missed & FACTS
