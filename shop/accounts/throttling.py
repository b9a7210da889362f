"""How often somebody may sign in, sign up and ask for a new password."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from dynamo.client import client
from dynamo.limits import Limit, Limiter
from dynamo.meter import labelled_calls
from shop import keys
from shop.models import ShopItem

PASSWORDS_OF_A_NAME = Limit(10, timedelta(minutes=15))
PASSWORDS_FROM_AN_ADDRESS = Limit(60, timedelta(minutes=15))
SIGN_UPS_FROM_AN_ADDRESS = Limit(30, timedelta(hours=1))
RESETS_FOR_A_NAME = Limit(5, timedelta(hours=1))
RESETS_FROM_AN_ADDRESS = Limit(20, timedelta(hours=1))


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
