"""``mail_moderators``: what waits, to whom, and once a day."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.utils import timezone

from comments.moderation.queries import MOST_COUNTED
from comments.reports.services import Reason, report_comment
from dynapages.calls import clock
from shop.accounts.confirmation import confirm
from shop.accounts.queries import find_user
from shop.orders.items import NewLine
from tests.support.accounts.emails import emails
from tests.support.comments.faulty import unreachable
from tests.support.comments.options import comments_set
from tests.support.comments.outage import own_engine
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, put

pytestmark = [pytest.mark.newest, pytest.mark.real_engine]


@pytest.fixture
def shop(settings):
    """A site of its own, where nothing waits yet, and whom it tells."""
    with own_engine():
        sam = moderator("sam")
        settings.SITE_URL, settings.MODERATORS = "https://shop.example.com", [sam.username]
        yield sam


def moderator(kind: str, *, is_staff: bool = True, is_confirmed: bool = True) -> Writer:
    writer = someone(kind, is_staff=is_staff)
    user = find_user(writer.username)
    user.email = address_of(writer)
    user.save()
    if is_confirmed:
        confirm(writer.username, user.email)
    return writer


def address_of(writer: Writer) -> str:
    return f"{writer.username}@example.com"


def report(times: int = 1) -> None:
    ann, now = someone("ann"), timezone.now()
    for _ in range(times):
        comment = ann.has_written(made_product()).comment
        report_comment(comment_id=comment.id, user_id="bob", reason=Reason.SPAM, text="", now=now)


def hold() -> None:
    with comments_set(GATE="comments.gates.hold_all"):
        someone("ann").has_written(made_product())


def order() -> None:
    lines = [NewLine(made_product(), "Lamp", 1, 1_999)]
    put(made_order("bob", placed_at=datetime.now(UTC), lines=lines))


def run(**options: Any) -> tuple[str, str]:
    """Run the command; what it prints, and on stderr."""
    out, err = StringIO(), StringIO()
    call_command("mail_moderators", stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


class TestTheEmail:
    def test_says_how_much_waits_and_where(self, shop):
        report(2)
        hold()
        order()
        out, _ = run()
        (email,) = emails()
        assert email.to == [address_of(shop)]
        assert email.subject == "This waits for you at shop.example.com"
        site = "https://shop.example.com/staff"
        assert f"Reported comments: 2\n{site}/comments/\n" in email.body
        assert f"Waiting comments: 1\n{site}/comments/held/\n" in email.body
        assert f"Open orders: 1\n{site}/orders/\n" in email.body
        assert out == "Reported comments: 2\nWaiting comments: 1\nOpen orders: 1\n"

    def test_leaves_out_where_nothing_waits(self, shop):
        hold()
        run()
        (email,) = emails()
        assert "Reported" not in email.body
        assert "orders" not in email.body

    def test_counts_as_far_as_the_pages_do(self, shop):
        report(MOST_COUNTED + 1)
        run()
        assert f"Reported comments: {MOST_COUNTED}+\n" in emails()[0].body

    def test_is_not_sent_when_nothing_waits(self, shop):
        assert run() == ("Nothing waits.\n", "")
        assert emails() == []

    def test_can_be_in_german(self, shop):
        report()
        run(language="de")
        (email,) = emails()
        assert email.subject == "Das wartet bei shop.example.com auf Sie"
        assert "Gemeldete Kommentare: 1\n" in email.body


class TestOnceADay:
    def test_is_as_often_as_it_is_sent_however_often_the_job_runs(self, shop):
        report()
        for _ in range(2):
            run()
        assert len(emails()) == 1

    @pytest.mark.parametrize(("hours", "sent"), [(19.9, 1), (23.8, 2)])
    def test_is_also_a_little_earlier_than_the_day_before(self, shop, monkeypatch, hours, sent):
        report()
        run()
        later = clock.now() + timedelta(hours=hours)
        monkeypatch.setattr(clock, "now", lambda: later)
        run()
        assert len(emails()) == sent

    def test_is_not_used_up_by_a_mail_server_that_fails(self, shop, monkeypatch):
        def fail(*_: object, **__: object) -> None:
            raise SMTPServerDisconnected("gone")

        report()
        with monkeypatch.context() as patch:
            patch.setattr(EmailMessage, "send", fail)
            with pytest.raises(CommandError, match="Not all were told"):
                run()
        run()
        assert len(emails()) == 1


class TestWhoIsTold:
    def test_is_every_member_of_staff_that_the_setting_names(self, shop, settings):
        tess, _ = moderator("tess"), moderator("uwe")
        settings.MODERATORS = [shop.username, tess.username.upper()]
        report()
        run()
        assert [email.to for email in emails()] == [[address_of(shop)], [address_of(tess)]]

    def test_is_no_customer_and_nobody_whose_address_is_not_confirmed(self, shop, settings):
        customer = moderator("cleo", is_staff=False)
        hasty = moderator("hal", is_confirmed=False)
        settings.MODERATORS = [customer.username, hasty.username, "nobody-of-this-name"]
        report()
        _, err = run()
        assert emails() == []
        assert all(
            f"{name}: not staff with a confirmed e-mail address.\n" in err
            for name in settings.MODERATORS
        )


class TestTheCommand:
    def test_asks_for_the_address_of_the_site(self, shop, settings):
        settings.SITE_URL = None
        with pytest.raises(CommandError, match="Set SITE_URL"):
            run()

    def test_says_in_one_line_that_the_database_is_away(self, shop):
        with unreachable(), pytest.raises(CommandError, match=r"^[^\n]+$"):
            run()

    def test_tells_the_others_where_the_mail_server_takes_one_not(
        self, shop, settings, monkeypatch
    ):
        tess = moderator("tess")
        settings.MODERATORS = [shop.username, tess.username]
        report()
        send = EmailMessage.send

        def fail_for_sam(message: EmailMessage, *arguments: object, **named: object) -> int:
            if message.to == [address_of(shop)]:
                raise SMTPServerDisconnected("gone")
            return send(message, *arguments, **named)

        monkeypatch.setattr(EmailMessage, "send", fail_for_sam)
        with pytest.raises(CommandError, match="Run the same command again"):
            run()
        assert [email.to for email in emails()] == [[address_of(tess)]]
