"""What was held, rejected, hidden and restored is counted by month and reason."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from comments import gates
from comments.gates import Hold, block_author
from comments.items import NewComment
from comments.models import TABLE
from comments.moderation.services import Decision, decide, target_of
from comments.moderation.undoing import Note, undo
from comments.moderation.year_counts import (
    CODES_OF_GATES,
    Step,
    Sums,
    YearOfModeration,
    count,
    keys_of_last_year,
    last_year_in,
)
from comments.reports.services import Reason, report_comment
from comments.signals import announce, comment_held, unannounced
from dynapages.calls import clock, metered
from dynapages.items import Item
from dynapages.lists import timestamp
from dynapages.process import client
from tests.support.chance import unique
from tests.support.comments.options import comments_set
from tests.support.comments.writers import edit_url, made_product
from tests.support.work import finish_what_waits, forget_what_waits

pytestmark = pytest.mark.usefixtures("few_items", "nothing_counted")
NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.fixture
def nothing_counted() -> Iterator[None]:
    """Begin with no counts of the years of these tests, and nothing that waits to be counted."""
    forget_what_waits()
    for now in (NOW, clock.now()):
        for key in keys_of_last_year(now):
            client().delete_item(TableName=TABLE, Key=key)
    yield
    forget_what_waits()


def items_of_last_year(now: datetime) -> list[Item]:
    items = []
    for key in keys_of_last_year(now):
        answer = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True)
        if "Item" in answer:
            items.append(answer["Item"])
    return items


def last_year(now: datetime) -> YearOfModeration:
    return last_year_in(items_of_last_year(now), now)


def counted(now: datetime = NOW) -> Sums:
    """What is counted when all is done that waits."""
    finish_what_waits()
    return last_year(now).sums


def report(comment: NewComment, *reasons: Reason) -> None:
    for reason in reasons:
        report_comment(
            comment_id=comment.id, user_id=unique("reader"), reason=reason, text="", now=NOW
        )


def hide(comment: NewComment) -> Note:
    """Hide a comment as staff do; return the note by which that is taken back."""
    before = decide(Decision.HIDE, comment_id=comment.id, who="sam", now=NOW)
    assert before is not None
    return Note.of(before, target_of(Decision.HIDE), now=NOW)


def hold_for_itself(_draft: object, _author: object) -> Hold:
    return Hold("one star, not bought here")


class TestAHeldComment:
    @pytest.mark.parametrize(
        ("gate", "words", "code"),
        [
            ("comments.gates.hold_all", {}, "every"),
            ("comments.gates.hold_first", {}, "first"),
            ("comments.gates.hold_links", {"body": "See www.example.com"}, "link"),
            ("comments.gates.hold_words", {"body": "A casino."}, "word"),
            (f"{__name__}.hold_for_itself", {}, "own"),
            ("comments.gates.no_such_gate", {}, "failed"),
        ],
    )
    def test_is_counted_by_the_reason_of_its_gate(self, ann, gate, words, code):
        with comments_set(GATE=gate, HELD_WORDS=["casino"]):
            ann.has_written(made_product(), **words)
        assert counted(clock.now()) == {(Step.HELD, code): 1}

    def test_is_counted_as_that_of_a_blocked_author(self, ann):
        block_author(ann.username, now=NOW)
        ann.has_written(made_product())
        assert counted(clock.now()) == {(Step.HELD, "blocked"): 1}

    def test_is_counted_when_an_edit_holds_it(self, ann):
        comment = ann.has_written(made_product()).comment
        with comments_set(GATE="comments.gates.hold_links"):
            words = {"rating": "5", "language": "en", "title": "Link", "body": "www.example.com"}
            ann.send(edit_url(comment), {**words, "version": "1"})
        assert counted(clock.now()) == {(Step.HELD, "link"): 1}

    def test_of_an_import_is_counted_as_such_whatever_its_reason(self, comment):
        announce(comment_held, comment.id, moment=NOW, comment=comment, reason=gates.LINK)
        assert counted() == {(Step.HELD, "import"): 1}

    def test_of_an_import_without_signals_is_not_counted(self, comment):
        with unannounced():
            announce(comment_held, comment.id, moment=NOW, comment=comment, reason=gates.LINK)
        assert counted() == {}

    def test_that_is_rejected_is_counted_once_more_by_that(self, ann):
        with comments_set(GATE="comments.gates.hold_all"):
            comment = ann.has_written(made_product()).comment
        decide(Decision.REJECT, comment_id=comment.id, now=clock.now())
        sums = counted(clock.now())
        assert sums == {(Step.HELD, "every"): 1, (Step.REJECTED, ""): 1}

    def test_that_is_rejected_and_waits_again_was_held_once(self, ann):
        with comments_set(GATE="comments.gates.hold_all"):
            comment = ann.has_written(made_product()).comment
        now = clock.now()
        before = decide(Decision.REJECT, comment_id=comment.id, who="sam", now=now)
        undo(Note.of(before, target_of(Decision.REJECT), now=now), who="sam", now=now)
        assert counted(now) == {
            (Step.HELD, "every"): 1,
            (Step.REJECTED, ""): 1,
            (Step.RESTORED, ""): 1,
        }

    def test_that_was_published_and_waits_again_was_held_once(self, ann):
        with comments_set(GATE="comments.gates.hold_all"):
            comment = ann.has_written(made_product()).comment
        now = clock.now()
        before = decide(Decision.PUBLISH, comment_id=comment.id, who="sam", now=now)
        undo(Note.of(before, target_of(Decision.PUBLISH), now=now), who="sam", now=now)
        assert counted(now) == {(Step.HELD, "every"): 1}


class TestAHiddenComment:
    def test_is_counted_by_what_it_was_mostly_reported_for(self, comment):
        report(comment, Reason.OTHER, Reason.PERSONAL, Reason.PERSONAL)
        hide(comment)
        assert counted() == {(Step.HIDDEN, "personal"): 1}

    def test_is_counted_by_the_first_reason_of_those_given_as_often(self, comment):
        report(comment, Reason.OTHER, Reason.OFF_TOPIC)
        hide(comment)
        assert counted() == {(Step.HIDDEN, "off-topic"): 1}

    def test_is_counted_as_not_reported(self, comment):
        hide(comment)
        assert counted() == {(Step.HIDDEN, "none"): 1}

    def test_is_counted_once_if_it_is_hidden_twice(self, comment):
        hide(comment)
        decide(Decision.HIDE, comment_id=comment.id, now=NOW)
        assert counted() == {(Step.HIDDEN, "none"): 1}

    @pytest.mark.parametrize("is_undone", [True, False])
    def test_that_is_put_back_is_counted_as_restored(self, comment, is_undone):
        note = hide(comment)
        if is_undone:
            undo(note, who="sam", now=NOW)
        else:
            decide(Decision.RESTORE, comment_id=comment.id, now=NOW)
        assert counted() == {(Step.HIDDEN, "none"): 1, (Step.RESTORED, ""): 1}


class TestTheCounts:
    def test_are_of_this_month_and_the_twelve_before_it(self):
        for month in (
            datetime(2025, 2, 28, 23, 59, 59, tzinfo=UTC),
            datetime(2025, 3, 1, tzinfo=UTC),
            datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC),
            datetime(2026, 1, 1, tzinfo=UTC),
            NOW,
            datetime(2026, 4, 1, tzinfo=UTC),
        ):
            count(Step.HELD, "link", month)
        assert last_year(NOW).sums == {(Step.HELD, "link"): 4}
        assert last_year(NOW).first_month == datetime(2025, 3, 1, tzinfo=UTC).date()

    @pytest.mark.parametrize("month", range(1, 13))
    def test_are_two_items_in_every_month(self, month):
        now = NOW.replace(month=month)
        years = {item["pk"]["S"] for item in keys_of_last_year(now)}
        assert years == {"MODERATED#2025", "MODERATED#2026"}

    def test_go_by_utc(self):
        """In the new year of Tokyo, when it is still the old one."""
        tokyo = datetime.fromisoformat("2026-01-01T08:00:00+09:00")
        count(Step.HELD, "link", tokyo)
        assert [item["pk"]["S"] for item in items_of_last_year(NOW)] == ["MODERATED#2025"]

    def test_say_since_when(self):
        earlier = NOW - timedelta(days=200)
        count(Step.HELD, "link", NOW)
        assert last_year(NOW).since == NOW
        count(Step.HELD, "link", earlier)
        assert last_year(NOW).since == earlier
        count(Step.HELD, "link", NOW + timedelta(days=1))
        assert last_year(NOW).since == earlier

    def test_pass_over_what_a_newer_version_counts(self):
        (_, key) = keys_of_last_year(NOW)
        cells = {name: {"N": "1"} for name in ("03.praised.link", "03.held.link", "03-held", "n")}
        item = {**key, "at": {"S": timestamp(NOW)}, **cells}
        assert last_year_in([item], NOW).sums == {(Step.HELD, "link"): 1}

    def test_name_nobody(self, ann, comment):
        report(comment, Reason.SPAM)
        hide(comment)
        with comments_set(GATE="comments.gates.hold_all"):
            held = ann.has_written(comment.product_id).comment
        finish_what_waits()
        stored = str(items_of_last_year(NOW) + items_of_last_year(clock.now()))
        assert "held" in stored
        for name in (comment.id, comment.user_id, comment.product_id, held.id, ann.username, "sam"):
            assert f"'{name}'" not in stored
            assert f".{name}" not in stored


class TestCounting:
    def test_is_left_until_the_visitor_has_the_answer(self, comment):
        with metered() as meter:
            hide(comment)
        assert not meter.labelled("moderation counts")
        assert last_year(NOW).sums == {}

    @pytest.mark.real_engine
    def test_takes_two_units(self):
        with metered() as meter:
            count(Step.HELD, "link", NOW)
        assert (meter.calls, meter.units) == (1, 2)

    def test_is_lost_with_the_process(self, comment):
        hide(comment)
        forget_what_waits()
        assert counted() == {}

    def test_of_many_months_and_reasons_stays_small(self):
        """At most a read of half a unit, however long the shop is open."""
        cells = [(Step.HELD, code) for code in [*CODES_OF_GATES.values(), "own", "import"]]
        cells += [(Step.HIDDEN, code) for code in [*Reason.values, "none"]]
        cells += [(Step.REJECTED, ""), (Step.RESTORED, "")]
        most = len("MODERATED#2026") * 2 + len("pksk") + len("at") + len(timestamp(NOW))
        for step, code in cells:
            # A number of 9 digits has at most 6 bytes.
            most += 12 * (len(f"03.{step}.{code}") + 6)
        assert most <= 4_096


def test_every_reason_of_the_gates_has_a_code():
    texts = {
        value for name, value in vars(gates).items() if name.isupper() and isinstance(value, str)
    }
    assert texts - {TABLE} == set(CODES_OF_GATES)
