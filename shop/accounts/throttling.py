"""Rate limits of signing in, signing up, resetting passwords and confirming addresses.

Whoever knows a user's name can use up what is counted by the name alone. So most attempts are
counted by the name and the network; the limit by name alone is wide, and does not apply to browsers
that the user has signed in with before.
"""

from datetime import timedelta

from dynamo.writes.limits import Limit
from shop.web.rate_limits import Charge

PASSWORDS_AT_A_NAME = Limit(10, timedelta(minutes=15))
PASSWORDS_IN_KNOWN_BROWSERS = Limit(10, timedelta(minutes=15))
CODES_OF_A_NAME = Limit(5, timedelta(minutes=15))
WRONG_CODES_OF_A_NAME = Limit(19, timedelta(days=19))
"""With the twentieth since the last right one, codes rest; each is forgotten after a day."""
REST_OF_CODES = timedelta(hours=1)
PASSWORD_CHANGES = Limit(10, timedelta(minutes=15))
PASSWORDS_OF_A_NAME = Limit(20, timedelta(minutes=15))
"""Eighty an hour, for as long as somebody goes on from ever new addresses."""
PASSWORDS_FROM_AN_ADDRESS = Limit(60, timedelta(minutes=15))
SIGN_UPS_FROM_AN_ADDRESS = Limit(30, timedelta(hours=1))
SIGN_UPS_WITH_AN_EMAIL = Limit(5, timedelta(days=1))
LETTERS_TO_AN_EMAIL = Limit(10, timedelta(hours=1))
"""As long as a link for a new password works: whoever gets no further letter has one that works."""
NOTICES_TO_AN_EMAIL = Limit(20, timedelta(hours=1))
"""Of what was done in an account. Links, which anybody can ask for, must not use them up."""
CONFIRMATIONS_OF_A_NAME = Limit(5, timedelta(hours=1))
RESETS_AT_A_NAME = Limit(5, timedelta(hours=1))
RESETS_FROM_AN_ADDRESS = Limit(20, timedelta(hours=1))


def password_at(username: str, network: str) -> Charge:
    """Return the charge for trying a user's password from a network."""
    return Charge(f"password/{username}/{network}", PASSWORDS_AT_A_NAME)


def password_in_known_browser(username: str) -> Charge:
    """Return the charge for trying a user's password where the user has signed in before."""
    return Charge(f"password-known/{username}", PASSWORDS_IN_KNOWN_BROWSERS)


def password_change_of(username: str) -> Charge:
    """Return the charge for trying a user's old password in a session of that user."""
    return Charge(f"password-change/{username}", PASSWORD_CHANGES)


def code_of(username: str) -> Charge:
    """Return the charge for trying a code, by who knows the password."""
    return Charge(f"code/{username}", CODES_OF_A_NAME)


def wrong_code_of(username: str) -> Charge:
    """Return the charge for a wrong code, by who knows the password."""
    return Charge(f"wrong-code/{username}", WRONG_CODES_OF_A_NAME)


def password_of(username: str) -> Charge:
    """Return the charge for trying a user's password, from any address."""
    return Charge(f"password/{username}", PASSWORDS_OF_A_NAME)


def password_from(network: str) -> Charge:
    """Return the charge for trying any password from a network."""
    return Charge(f"passwords-from/{network}", PASSWORDS_FROM_AN_ADDRESS)


def sign_up_from(network: str) -> Charge:
    """Return the charge for a new account, or for being told that its name is taken."""
    return Charge(f"sign-ups-from/{network}", SIGN_UPS_FROM_AN_ADDRESS)


def sign_up_with(address: str) -> Charge:
    """Return the charge for giving an account an e-mail address."""
    return Charge(f"sign-ups-with/{address}", SIGN_UPS_WITH_AN_EMAIL)


def letter_to(address: str) -> Charge:
    """Return the charge for a letter with a link to an e-mail address."""
    return Charge(f"letters-to/{address}", LETTERS_TO_AN_EMAIL)


def notice_to(address: str) -> Charge:
    """Return the charge for a letter that tells what was done in an account."""
    return Charge(f"notices-to/{address}", NOTICES_TO_AN_EMAIL)


def confirmation_of(username: str) -> Charge:
    """Return the charge for a letter to confirm an address, by who is signed in."""
    return Charge(f"confirmation/{username}", CONFIRMATIONS_OF_A_NAME)


def reset_at(name: str, network: str) -> Charge:
    """Return the charge for a reset asked for from a network.

    ``name`` is a user name or e-mail address.
    """
    return Charge(f"reset/{name}/{network}", RESETS_AT_A_NAME)


def reset_from(network: str) -> Charge:
    """Return the charge for any letter that is asked for from a network."""
    return Charge(f"resets-from/{network}", RESETS_FROM_AN_ADDRESS)
