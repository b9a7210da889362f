"""How often somebody may sign in, sign up, ask for a new password, and order."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from dynamo.calls.client import client
from dynamo.calls.meter import labelled_calls
from dynamo.writes.limits import Limit, Limiter
from shop import keys
from shop.models import ShopItem

PASSWORDS_OF_A_NAME = Limit(10, timedelta(minutes=15))
PASSWORDS_FROM_AN_ADDRESS = Limit(60, timedelta(minutes=15))
SIGN_UPS_FROM_AN_ADDRESS = Limit(30, timedelta(hours=1))
RESETS_FOR_A_NAME = Limit(5, timedelta(hours=1))
RESETS_FROM_AN_ADDRESS = Limit(20, timedelta(hours=1))
ORDERS_OF_A_USER = Limit(60, timedelta(hours=1))
ORDERS_FROM_AN_ADDRESS = Limit(300, timedelta(hours=1))
MINUTE = 60


@dataclass(frozen=True, slots=True)
class Charge:
    """One use of a limit: ``name`` says whose."""

    name: str
    limit: Limit


def password_of(username: str) -> Charge:
    """Charge a guess at a user's password, wherever it is typed and from wherever."""
    return Charge(f"password/{username}", PASSWORDS_OF_A_NAME)


def password_from(network: str) -> Charge:
    """Charge a guess at anybody's password."""
    return Charge(f"passwords-from/{network}", PASSWORDS_FROM_AN_ADDRESS)


def sign_up_from(network: str) -> Charge:
    """Charge a new account."""
    return Charge(f"sign-ups-from/{network}", SIGN_UPS_FROM_AN_ADDRESS)


def reset_for(name: str) -> Charge:
    """Charge a letter about a new password; ``name`` is a user name or an e-mail address."""
    return Charge(f"reset/{name}", RESETS_FOR_A_NAME)


def reset_from(network: str) -> Charge:
    """Charge letters about new passwords to whomever."""
    return Charge(f"resets-from/{network}", RESETS_FROM_AN_ADDRESS)


def orders_of(username: str) -> Charge:
    """Charge an order of a user's: placed, changed, or led elsewhere."""
    return Charge(f"orders-of/{username}", ORDERS_OF_A_USER)


def orders_from(network: str) -> Charge:
    """Charge an order of anybody's."""
    return Charge(f"orders-from/{network}", ORDERS_FROM_AN_ADDRESS)


def in_words(seconds: int) -> str:
    """Say how long to wait, such as ``30 minutes``."""
    if seconds <= MINUTE:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{ceil(seconds / MINUTE)} minutes"


def take(*charges: Charge, now: datetime) -> float:
    """Take all charges; return 0.0, or the seconds until the first that is refused has room.

    What was taken before it stays taken.
    """
    with labelled_calls("limits"):
        for charge in charges:
            if wait := _limiter().take(charge.name, charge.limit, now=now):
                return wait
    return 0.0


def give_back(*charges: Charge) -> None:
    """Undo charges that `take` took, because what was done turns out to be harmless."""
    with labelled_calls("limits"):
        for charge in charges:
            _limiter().give_back(charge.name, charge.limit)


def _limiter() -> Limiter:
    return Limiter(client(), ShopItem.Meta.table_name, keys.limit)
