"""``manage.py mail_moderators``: what waits for staff, by e-mail, once a day."""

from collections.abc import Iterator
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.moderation.listing import HEADINGS, MOST_COUNTED, URL_NAMES, run_of
from comments.store.states import State
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.lists import PageRequest
from dynapages.process import read
from shop.accounts import mailer
from shop.accounts.queries import users_called
from shop.orders.counts import read_queue_lengths


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
        site, language = settings.SITE_URL, options["language"]
        if not site:
            raise CommandError("Set SITE_URL: links in e-mails begin with it.")
        is_all_sent = True
        with failures_in_one_line():
            queues = [each for each in _queues() if each[1] != "0"]
            for name in settings.MODERATORS if queues else ():
                user = next(iter(users_called(name)), None)
                address = mailer.confirmed_address(user) if user and user.is_staff else ""
                if not user or not address:
                    self.stderr.write(f"{name}: not staff with a confirmed e-mail address.")
                    continue
                context = {"name": user.username, "queues": queues}
                try:
                    mailer.deliver("waiting", address, context, site=site, language=language)
                except (SMTPException, OSError) as error:
                    self.stderr.write(f"{name}: the mail server did not take it. {error}")
                    is_all_sent = False
        if not is_all_sent:
            raise CommandError("Not all were told. Run the same command again.")
        waiting = [f"{name}: {count}" for name, count, _path in queues]
        self.stdout.write("\n".join(waiting) or "Nothing waits.")


def _queues() -> Iterator[tuple[object, str, str]]:
    """Yield the name of each queue, how much waits in it (such as ``20+``), and its path."""
    for state in (State.REPORTED, State.HELD):
        page = read([run_of(state)], PageRequest(MOST_COUNTED))
        count = f"{len(page.entries)}{'+' * page.has_next}"
        yield HEADINGS[state], count, reverse(URL_NAMES[state])
    yield _("Open orders"), str(sum(read_queue_lengths().values())), reverse("staff_orders")
