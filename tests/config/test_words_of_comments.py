"""No text of a comment stands where neither hiding nor erasing it reaches.

Postings, copies, answers kept for Idempotency-Keys, what is owed, e-mails: all tables are read
whole, and the words are looked for.
"""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO

import pytest
from django.core import mail
from django.core.management import call_command

from comments.host import uses_sets
from comments.models import Comment
from comments.moderation.services import Decision
from comments.search.models import TABLE as WORDS_TABLE
from comments.search.models import WordItem
from comments.search.postings import HIDDEN_PREFIX
from comments.sets.models import TABLE as SETS_TABLE
from comments.sets.models import CommentSetItem
from comments.store.writing import QUEUE
from dynapages.calls import clock
from dynapages.django.callers import Scope
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages.upkeep import every_item
from dynapages_testing.strict import refuse_what_aws_refuses
from shop.activity.recording import LOG
from shop.models import ApiAnswer
from shop.work import QUEUE as SHOP_QUEUE
from tests.support.comments.deciding import decide
from tests.support.comments.options import comments_set
from tests.support.comments.outage import own_engine
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import Program, program_of
from tests.support.work import finish_what_waits, work_off

pytestmark = pytest.mark.real_engine

WORD = "zanzibarium"
"""Stands in no sentence of the site."""
LONG = f"It smells of {WORD}. " + "A long story, told at length. " * 60
ANSWERS_KEPT = timedelta(days=1)
"""As docs/security.md says."""
EXPIRY = (Comment.expires_at.attr_name, ApiAnswer.expires_at.attr_name)


@pytest.fixture(params=["indexes", "sets"])
def site(request, tables, engine_name) -> Iterator[None]:
    """A site that searches, by each read model, on an engine of its own."""
    with comments_set(SEARCH=True, READ_MODEL=request.param), own_engine():
        refuse_what_aws_refuses(client())
        create_missing([WordItem, CommentSetItem], client=client())
        yield


def tables_with(word: str) -> dict[str, list[str]]:
    """Return the partition keys of all items that hold a word, by the names of their tables.

    Those that expire by the time that the documents name have gone.
    """
    later = (clock.now() + ANSWERS_KEPT).timestamp()
    found: dict[str, list[str]] = {}
    for page in client().get_paginator("list_tables").paginate():
        for table in page["TableNames"]:
            for item in every_item(client(), table):
                is_gone = any(name in item and float(item[name]["N"]) <= later for name in EXPIRY)
                if word in str(item).casefold() and not is_gone:
                    found.setdefault(table, []).append(item["pk"]["S"])
    return found


def everything_is_done() -> None:
    """Have all that is owed done, the log written, and the copies made."""
    finish_what_waits()
    work_off(QUEUE)
    work_off(SHOP_QUEUE)
    assert LOG.flush(seconds=10)
    if uses_sets():
        call_command("run_stream", "--once", stdout=StringIO())


class Scene:
    """A comment by alice, who posts and edits it by the API; others report it and reply to it."""

    def __init__(self) -> None:
        self.alice, self.sam = someone("alice"), someone("sam", is_staff=True)
        product_id = made_product()
        by_alice: Program = program_of(self.alice.username)
        by_sam: Program = program_of(self.sam.username, Scope.STAFF)
        said = {"rating": 2, "title": WORD.title(), "language": "en", "text": LONG}
        url = f"/products/{product_id}/comments"
        self.comment_id = by_alice.post(url, said, once="post").json()["id"]
        edited = {**said, "text": f"{LONG} Again.", "version": 1}
        assert by_alice.put(f"/comments/{self.comment_id}", edited, once="edit").status_code == 200
        bob = program_of(someone("bob").username)
        assert bob.put(f"/votes/{self.comment_id}").status_code == 200
        report = {"reason": "spam", "text": "It is not true."}
        assert bob.put(f"/reports/{self.comment_id}", report, once="report").status_code == 204
        reply = {"text": "We are sorry.", "version": 0}
        answer = by_sam.put(f"/replies/{self.comment_id}", reply, once="reply")
        assert answer.status_code == 200


@pytest.fixture
def scene(site) -> Scene:
    made = Scene()
    everything_is_done()
    return made


class TestTheWordsOfAComment:
    def test_that_is_listed_are_in_its_own_items_and_its_postings(self, scene):
        found = tables_with(WORD)
        own = f"COMMENT#{scene.comment_id}"
        others = {
            table: [pk for pk in keys if pk != own]
            for table, keys in found.items()
            if table not in {WORDS_TABLE, SETS_TABLE}
        }
        assert own in str(found)
        assert (SETS_TABLE in found) == uses_sets()
        assert [keys for keys in others.values() if keys] == []

    def test_that_is_hidden_are_in_its_own_items_and_where_staff_search(self, scene):
        decide(Decision.HIDE, scene.comment_id, seen=None, now=clock.now())
        everything_is_done()
        found = tables_with(WORD)
        assert SETS_TABLE not in found
        assert {pk.partition("#")[0] for pk in found.pop(WORDS_TABLE)} == {HIDDEN_PREFIX[:-1]}
        assert {pk for keys in found.values() for pk in keys} == {f"COMMENT#{scene.comment_id}"}

    def test_that_was_deleted_are_nowhere(self, scene):
        assert scene.alice.send(f"/comments/delete/{scene.comment_id}/").status_code == 302
        everything_is_done()
        assert tables_with(WORD) == {}

    def test_whose_author_is_erased_are_nowhere(self, scene):
        decide(Decision.HIDE, scene.comment_id, seen=None, now=clock.now())
        call_command("delete_user_data", scene.alice.username, "--json", stdout=StringIO())
        everything_is_done()
        assert tables_with(WORD) == {}

    def test_are_in_no_email(self, scene):
        assert WORD not in str([message.message() for message in mail.outbox])
