"""Rate limits of signing in, signing up and resetting passwords."""

from datetime import timedelta

from dynamo.writes.limits import Limit
from shop.web.rate_limits import Charge

PASSWORDS_OF_A_NAME = Limit(10, timedelta(minutes=15))
PASSWORDS_FROM_AN_ADDRESS = Limit(60, timedelta(minutes=15))
SIGN_UPS_FROM_AN_ADDRESS = Limit(30, timedelta(hours=1))
RESETS_FOR_A_NAME = Limit(5, timedelta(hours=1))
RESETS_FROM_AN_ADDRESS = Limit(20, timedelta(hours=1))


def password_of(username: str) -> Charge:
    """Return the charge for trying a user's password, from any address."""
    return Charge(f"password/{username}", PASSWORDS_OF_A_NAME)


def password_from(network: str) -> Charge:
    """Return the charge for trying any password from a network."""
    return Charge(f"passwords-from/{network}", PASSWORDS_FROM_AN_ADDRESS)


def sign_up_from(network: str) -> Charge:
    """Return the charge for a new account."""
    return Charge(f"sign-ups-from/{network}", SIGN_UPS_FROM_AN_ADDRESS)


def reset_for(name: str) -> Charge:
    """Return the charge for a reset mail; ``name`` is a user name or e-mail address."""
    return Charge(f"reset/{name}", RESETS_FOR_A_NAME)


def reset_from(network: str) -> Charge:
    """Return the charge for any reset mail from a network."""
    return Charge(f"resets-from/{network}", RESETS_FROM_AN_ADDRESS)
