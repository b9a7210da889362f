"""``request_reviews``: asks about what the project says is due, and reports what became of it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from io import StringIO
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command

from comments.checks import check_project
from comments.requests.purchases import DuePurchase
from comments.requests.services import choose
from dynapages.calls import clock
from tests.support.chance import unique
from tests.support.comments.faulty import Fault
from tests.support.comments.options import comments_set
from tests.support.comments.requested import SITE, emails_to, purchase_of

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
PATH = "tests.comments.requests.test_command.due"
_due: list[DuePurchase] = []


def due(now: datetime) -> Iterator[DuePurchase]:
    """Yield what a test has said is due."""
    assert now.tzinfo
    yield from _due


@pytest.fixture(autouse=True)
def site(settings):
    settings.SITE_URL = SITE
    with comments_set(DUE_PURCHASES=PATH):
        yield
    _due.clear()


@pytest.fixture
def printed() -> StringIO:
    """What the command has printed that `run` got it for."""
    return StringIO()


def run(*purchases: DuePurchase, to: StringIO | None = None, **options: bool) -> list[str]:
    """Run the command; the lines that it prints."""
    _due[:] = purchases
    printed = to or StringIO()
    call_command("request_reviews", stdout=printed, stderr=printed, **options)
    return printed.getvalue().splitlines()


class TestTheCommand:
    def test_asks_about_each_purchase_and_says_what_became_of_it(self):
        ann, muted = unique("ann"), unique("muted")
        choose(muted, is_muted=True, now=clock.now())
        purchases = [purchase_of(ann), purchase_of(ann), purchase_of(muted)]
        assert run(*purchases) == [
            "1 of 3 purchases were asked about.",
            "  muted: 1",
            "  too soon: 1",
        ]
        assert len(emails_to(ann)) == 1

    def test_asks_nobody_again_when_it_is_run_again(self):
        purchase = purchase_of(unique("ann"))
        run(purchase)
        assert run(purchase) == ["0 of 1 purchases were asked about.", "  asked before: 1"]

    def test_says_what_it_would_do_and_does_nothing(self):
        ann = unique("ann")
        purchases = [purchase_of(ann), purchase_of(ann)]
        for _ in range(2):
            assert run(*purchases, dry_run=True) == [
                "1 of 2 purchases would be asked about.",
                "  too soon: 1",
            ]
        assert emails_to(ann) == []

    def test_says_that_nothing_is_due(self):
        assert run() == ["0 of 0 purchases were asked about."]

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_says_what_is_missing(self, settings, dry_run):
        with comments_set(DUE_PURCHASES=""), pytest.raises(CommandError, match="DUE_PURCHASES"):
            run(dry_run=dry_run)
        settings.SITE_URL = None
        with pytest.raises(CommandError, match="Set SITE_URL"):
            run(dry_run=dry_run)


class TestAFailure:
    def test_of_one_purchase_does_not_stop_the_others(self, printed):
        first, last = (purchase_of(unique("ann")) for _ in range(2))
        wrong = purchase_of(unique("ann"), product_ids=None)
        with pytest.raises(CommandError, match="1 of 3 are left") as raised:
            run(first, wrong, last, to=printed)
        assert raised.value.returncode == 1
        assert "  failed: 1" in printed.getvalue()
        assert f"Purchase {wrong.id}: TypeError" in printed.getvalue()
        assert [len(emails_to(one.user_id)) for one in (first, last)] == [1, 1]

    def test_of_the_database_is_tried_again_by_the_next_run(self):
        first, last = (purchase_of(unique("ann")) for _ in range(2))
        fault = Fault("before it is sent", number=1)
        with fault.injected(), pytest.raises(CommandError, match="1 of 2 are left"):
            run(first, last)
        assert run(first, last)[0] == "1 of 2 purchases were asked about."

    def test_of_the_mail_server_is_tried_again_by_the_next_run(self, monkeypatch, printed):
        purchases = [purchase_of(unique("ann")) for _ in range(3)]
        calls = _mail_server_that(monkeypatch, SMTPServerDisconnected("gone"))
        with pytest.raises(CommandError, match="3 of 3 are left"):
            run(*purchases, to=printed)
        assert "  left to the next run: 3" in printed.getvalue()
        assert len(calls) == 1, "a mail server that is away is asked once"
        monkeypatch.undo()
        assert run(*purchases)[0] == "3 of 3 purchases were asked about."

    def test_of_one_address_does_not_stop_the_others(self, monkeypatch):
        purchases = [purchase_of(unique("ann")) for _ in range(2)]
        error = SMTPRecipientsRefused({"ann@example.com": (451, b"Later")})
        calls = _mail_server_that(monkeypatch, error)
        with pytest.raises(CommandError, match="2 of 2 are left"):
            run(*purchases)
        assert len(calls) == 2


def _mail_server_that(monkeypatch: pytest.MonkeyPatch, raises: Exception) -> Sequence[object]:
    calls: list[object] = []

    def fail(message: EmailMessage) -> None:
        calls.append(message)
        raise raises

    monkeypatch.setattr(EmailMessage, "send", fail)
    return calls


def test_the_path_of_the_function_is_checked():
    with comments_set(DUE_PURCHASES="goods.nothing.due"):
        (message,) = [one for one in check_project(None) if one.id == "comments.DUE_PURCHASES"]
    assert "goods.nothing.due" in message.msg
