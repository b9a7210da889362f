"""E-mails: what errors of the mail server mean to who owes one, and the headers to opt out.

While the mail server is away, or takes nothing, an e-mail is owed still. What the server refuses
for good, because of the address, is not. Opting out by one click follows RFC 8058.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.policy import Policy
from smtplib import (
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPHeloError,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)

from django.core.mail import EmailMessage

from dynapages.work import Postponed

OPT_OUT_HEADER = "List-Unsubscribe"
FIRST_PERMANENT_CODE = 500
"""Replies of a mail server from this code on are final (RFC 5321)."""
_SERVER_ERRORS = (
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPHeloError,
    SMTPServerDisconnected,
)
"""Errors that any other e-mail would meet as well."""

logger: logging.Logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Sending:
    """What became of an e-mail: whether the mail server refused it for good."""

    is_refused: bool = False


@contextmanager
def errors_of_the_mail_server(kind: str) -> Iterator[Sending]:
    """Raise Postponed where the mail server does not take an e-mail now; log what it never takes.

    What staff see of it names no address.
    """
    sending = Sending()
    try:
        yield sending
    except (SMTPException, OSError) as error:
        logger.warning("An e-mail (%s) was not sent: %s", kind, error)
        if _is_final(error):
            sending.is_refused = True
            return
        # The text of the error may have an address; its type has none.
        reason = type(error).__name__
        if isinstance(error, SMTPResponseException):
            reason += f" {error.smtp_code}"
        sentence = f"The mail server did not take it ({reason})."
        is_away = not isinstance(error, SMTPException) or isinstance(error, _SERVER_ERRORS)
        raise Postponed(sentence, is_away=is_away) from error


def _is_final(error: Exception) -> bool:
    """Return whether there is no such mailbox, or it takes nothing."""
    if not isinstance(error, SMTPRecipientsRefused):
        return False
    codes = [code for code, _message in error.recipients.values()]
    return all(code >= FIRST_PERMANENT_CODE for code in codes)


def add_opt_out(message: EmailMessage, url: str) -> None:
    """Have mail programs show a button that stops such e-mails, by a POST to this address."""
    message.extra_headers[OPT_OUT_HEADER] = _OptOutHeader(f"<{url}>")
    message.extra_headers[f"{OPT_OUT_HEADER}-Post"] = f"{OPT_OUT_HEADER}=One-Click"


class _OptOutHeader(str):
    """A header of one line: since Django 6, ``email.policy`` encodes a long URL as words."""

    __slots__ = ()
    name = OPT_OUT_HEADER

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"
