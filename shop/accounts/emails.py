"""E-mails to users: what is owed, in the transaction that owes it; `shop.accounts.mailer` sends it.

So no page waits for the mail server, or tells by its time whether there is such a user. A due item
holds no more than is needed to write the e-mail when it is sent.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from django.utils.translation import get_language

from dynapages.work import Owed
from shop.work import QUEUE, owe_alone

FactorEvent = Literal["factor_on", "factor_off", "recovery_code", "codes_rest"]
Kind = Literal["reset", "confirm", "changed", "moved"] | FactorEvent
FACTOR_EVENTS: tuple[FactorEvent, ...] = get_args(FactorEvent)
EMAIL = "email"
"""The kind of these due items."""


@dataclass(frozen=True, slots=True)
class Email:
    """An e-mail about the users called ``whom``: a user name or an e-mail address.

    ``site`` is its address without a path, such as ``https://shop.example.com``; ``given_up`` the
    e-mail address that a user had before (``moved``); ``language`` a code of ``LANGUAGES``.
    """

    kind: Kind
    whom: str
    site: str
    given_up: str = ""
    language: str | None = None

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Email":
        """Build it from what `owed_email` has stored."""
        return cls(**payload)

    def names(self, username: str, address: str) -> bool:
        """Return whether it names a user, or their e-mail address where they have one."""
        named = {self.whom, self.given_up} - {""}
        return username in named or address in named


def owed_email(kind: Kind, whom: str, site: str, *, given_up: str = "") -> Owed:
    """Build what is owed: an e-mail in the language of the page; nothing is written."""
    email = Email(kind, whom, site, given_up, get_language())
    # Empty fields are left out, as they are the defaults when it is read again.
    payload = {name: value for name, value in asdict(email).items() if value}
    return QUEUE.owe(EMAIL, payload)


def queue_email(kind: Kind, whom: str, site: str) -> None:
    """Owe an e-mail for what is not written: by one write, whether or not there is such a user.

    Raises botocore's errors.
    """
    owe_alone(owed_email(kind, whom, site))
