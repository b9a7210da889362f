"""How often somebody may sign in, sign up, ask for a new password, and order."""

from datetime import timedelta

from dynamo.writes.limits import Limit
from shop.web.rate_limits import Charge

PASSWORDS_OF_A_NAME = Limit(10, timedelta(minutes=15))
PASSWORDS_FROM_AN_ADDRESS = Limit(60, timedelta(minutes=15))
SIGN_UPS_FROM_AN_ADDRESS = Limit(30, timedelta(hours=1))
RESETS_FOR_A_NAME = Limit(5, timedelta(hours=1))
RESETS_FROM_AN_ADDRESS = Limit(20, timedelta(hours=1))


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
