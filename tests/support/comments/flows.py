"""Everything that somebody writes, as something to send, to send again, and to look at after."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from comments import keys
from comments.erasure.user_data import comments_listed_in
from comments.lists.highlights import find_picks
from comments.models import CommentVote
from comments.profiles.queries import ids_written_by
from comments.replies.services import find_reply, reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import StoredComment, load_comment
from comments.store.counts import tallies
from comments.store.states import Revision, State
from comments.votes.rank import HELPFUL, rank_or_log
from comments.votes.services import cast_vote as vote_for
from dynapages.process import client
from dynapages.writes import write_transaction
from tests.support.comments.deciding import hide
from tests.support.comments.threads import NOW, helpful, moderated
from tests.support.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    made_product,
    new_url,
    someone,
)

LONG = "A long story, told at length. " * 60
Cells = Mapping[tuple[str, int], int]
LISTED: Cells = {("en", 5): 1}
"""The counts of a product with one comment in English, of five stars."""


@dataclass(frozen=True)
class Flow:
    """Something that is sent: it can be sent again, and ends with so many comments, and so."""

    send: Callable[[], int]
    product: str
    cells: Cells
    outcome: Callable[[], object] = field(default=lambda: None)
    expected: object = None


def post() -> Flow:
    alice, lamp = someone("alice"), made_product()
    form = {**alice.open_form(lamp), **WORDS, "body": LONG}
    return Flow(
        sending(alice, new_url(lamp), form),
        lamp,
        LISTED,
        lambda: [load_comment(each).comment.body for each in ids_written_by(alice.username)],
        [LONG.strip()],
    )


def edit() -> Flow:
    """Which moves keys, and leaves nothing for the item of the text to hold."""
    alice, stored, lamp = written(body=LONG)
    form = {**WORDS, "version": "1", "rating": "1", "language": "de"}
    return Flow(sending(alice, edit_url(stored.comment), form), lamp, {("de", 1): 1})


def delete() -> Flow:
    """With all that belongs to it."""
    alice, stored, lamp = written(body=LONG)
    put_votes(stored, number=120)
    report(stored, "bob")
    put_reply(stored)
    return Flow(sending(alice, delete_url(stored.comment), {}), lamp, {})


def vote() -> Flow:
    _, stored, lamp = written()
    url = f"/comments/vote/{stored.comment.id}/"
    send = sending(someone("bob"), url, {"helpful": "yes"})
    return Flow(send, lamp, LISTED, lambda: helpful(stored.comment), [1])


def unvote() -> Flow:
    _, stored, lamp = written()
    bob, url = someone("bob"), f"/comments/vote/{stored.comment.id}/"
    vote_for(comment_id=stored.comment.id, user_id=bob.username)
    send = sending(bob, url, {"helpful": "no"})
    return Flow(send, lamp, LISTED, lambda: helpful(stored.comment), [])


def send_report() -> Flow:
    _, stored, lamp = written()
    url, form = f"/comments/report/{stored.comment.id}/", {"reason": "spam"}

    def reports() -> int:
        found = moderated(stored.comment, State.REPORTED)
        return found.report_count if found else 0

    return Flow(sending(someone("bob"), url, form), lamp, LISTED, reports, 1)


def decision(name: str, cells: Cells, state: State) -> Flow:
    _, stored, lamp = written()
    comment = stored.comment
    report(stored, "bob")
    vote_for(comment_id=comment.id, user_id="bob")
    if name == "restore":
        hide(comment_id=comment.id, now=NOW)
    form = {"decision": name, "seen": str(Revision.of(load_comment(comment.id).item))}
    send = sending(a_moderator(), f"/staff/comments/decide/{comment.id}/", form)

    return Flow(send, lamp, cells, lambda: Revision.of(load_comment(comment.id).item).state, state)


def pick() -> Flow:
    _, stored, lamp = written()
    url = f"/staff/comments/feature/{stored.comment.id}/"
    send = sending(a_moderator(), url, {"featured": "yes"})
    return Flow(
        send, lamp, LISTED, lambda: [each.id for each in find_picks(lamp)], [stored.comment.id]
    )


def reply() -> Flow:
    _, stored, _ = written()
    return replying(stored, {"text": "Thanks.", "version": "0"}, ("Thanks.", 1))


def delete_reply() -> Flow:
    _, stored, _ = written()
    put_reply(stored)
    return replying(stored, {"delete": "yes"}, None)


def replying(stored: StoredComment, form: dict[str, str], expected: object) -> Flow:
    send = sending(a_moderator(), f"/staff/comments/reply/{stored.comment.id}/", form)

    def found() -> tuple[str, int] | None:
        there = find_reply(stored.comment.id)
        return (there.text, there.version) if there else None

    return Flow(send, stored.comment.product_id, LISTED, found, expected)


def delete_user_data() -> Flow:
    """Alice has written, found helpful and reported something; others her comment."""
    alice, stored, lamp = written(body=LONG)
    others = [someone("bob").has_written(made_product()) for _ in range(2)]
    for name in ("bob", "carl"):
        vote_for(comment_id=stored.comment.id, user_id=name)
    report(stored, "bob")
    put_reply(stored)
    for other in others:
        vote_for(comment_id=other.comment.id, user_id=alice.username)
        report(other, alice.username)

    def left() -> list[list[str]]:
        username = alice.username
        partitions = keys.voter(username), keys.reporter(username)
        found = [list(comments_listed_in(partition)) for partition in partitions]
        return [list(ids_written_by(username)), *found]

    return Flow(commanding("delete_user_data", alice.username), lamp, {}, left, [[], [], []])


FLOWS = [
    post,
    edit,
    delete,
    vote,
    unvote,
    send_report,
    pytest.param(partial(decision, "keep", LISTED, State.LISTED), id="keep"),
    pytest.param(partial(decision, "hide", {}, State.HIDDEN), id="hide"),
    pytest.param(partial(decision, "restore", LISTED, State.LISTED), id="restore"),
    pick,
    reply,
    delete_reply,
    delete_user_data,
]


def written(**said: str) -> tuple[Writer, StoredComment, str]:
    alice, lamp = someone("alice"), made_product()
    return alice, alice.has_written(lamp, **said), lamp


def a_moderator() -> Writer:
    return someone("sam", is_staff=True)


def report(stored: StoredComment, username: str) -> None:
    report_comment(
        comment_id=stored.comment.id, user_id=username, reason=Reason.SPAM, text="", now=NOW
    )


def put_votes(stored: StoredComment, *, number: int) -> None:
    """Put votes as they are stored, with their tally: more than one transaction can delete."""
    comment = stored.comment
    with CommentVote.batch_write() as batch:
        for voter in (f"voter-{n}" for n in range(number)):
            batch.save(
                CommentVote(
                    pk=keys.comment(comment.id),
                    sk=keys.vote(voter),
                    voter_partition=keys.voter(voter),
                    place=keys.about(comment.product_id, comment.id),
                )
            )
    write_transaction(client(), tallies().set_sums(comment.id, {HELPFUL: number}))
    rank_or_log(comment.id)


def put_reply(stored: StoredComment) -> None:
    reply_to(comment_id=stored.comment.id, text="Hello.", user_id="sam", seen=None, now=NOW)


def sending(writer: Writer, url: str, form: dict[str, str]) -> Callable[[], int]:
    return lambda: writer.send(url, form).status_code


def commanding(command: str, *arguments: str) -> Callable[[], int]:
    """A command as if it were a form: 302 when it is done, 503 when it failed."""

    def run() -> int:
        try:
            call_command(command, *arguments, "--json", stdout=StringIO())
        except CommandError:
            return 503
        return 302

    return run
