"""``manage.py mail_moderators``: what waits for staff, by e-mail, once a day."""

from collections.abc import Iterator
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.moderation.listing import HEADINGS, URL_NAMES
from comments.moderation.queries import MOST_COUNTED, run_of
from comments.store.states import State
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.lists import PageRequest
from dynapages.process import read
from shop.accounts import mailer
from shop.accounts.queries import users_called
from shop.orders.counts import read_queue_lengths

Waiting = tuple[object, str, str]
"""The name of a queue, how much waits in it (such as ``20+``), and its path."""


class Command(TableCommand):
    """Sends e-mails to the members of staff of ``MODERATORS``."""

    help = (
        "Send the members of staff of MODERATORS an e-mail of how many comments are reported and "
        "held, and how many orders are open. None is sent when nothing waits, and no second one "
        "within 20 hours. Run it by cron, once a day; it fails where the mail server takes none."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        codes = dict(settings.LANGUAGES)
        parser.add_argument("--language", choices=codes, default=settings.LANGUAGE_CODE)

    def handle(self, **options: Any) -> None:
        site = settings.SITE_URL
        if not site:
            raise CommandError("Set SITE_URL: links in e-mails begin with it.")
        # One whose e-mail fails must not keep the others from theirs.
        is_all_sent = True
        with failures_in_one_line():
            queues = [queue for queue in _queues() if queue[1] != "0"]
            if queues:
                for name in settings.MODERATORS:
                    is_sent = self._send(name, queues, site, options["language"])
                    is_all_sent = is_all_sent and is_sent
        if not is_all_sent:
            raise CommandError("Not all were told. Run the same command again.")
        lines = [f"{name}: {count}" for name, count, _path in queues]
        self.stdout.write("\n".join(lines) or "Nothing waits.")

    def _send(self, name: str, queues: list[Waiting], site: str, language: str) -> bool:
        """Send a moderator an e-mail; return False where the mail server did not accept it.

        Who cannot get one is named on stderr, and is no failure: a next run would not help.
        """
        user = next(iter(users_called(name)), None)
        address = ""
        if user and user.is_staff:
            address = mailer.confirmed_address(user)
        if not user or not address:
            self.stderr.write(f"{name}: not staff with a confirmed e-mail address.")
            return True
        context = {"name": user.username, "queues": queues}
        try:
            mailer.deliver("waiting", address, context, site=site, language=language)
        except (SMTPException, OSError) as error:
            self.stderr.write(f"{name}: the mail server did not take it. {error}")
            return False
        return True


def _queues() -> Iterator[Waiting]:
    for state in (State.REPORTED, State.HELD):
        page = read([run_of(state)], PageRequest(MOST_COUNTED))
        count = str(len(page.entries))
        if page.has_next:
            count += "+"
        yield HEADINGS[state], count, reverse(URL_NAMES[state])
    yield _("Open orders"), str(sum(read_queue_lengths().values())), reverse("staff_orders")
