"""Rate limits of signing in, signing up, resetting passwords and confirming addresses.

Whoever knows a user's name can use up what is counted by the name alone. So most attempts are
counted by the name and the network; the limit by name alone is wide, and does not apply to browsers
that the user has signed in with before.
"""

from datetime import timedelta

from dynapages.django.rate_limits import NamedLimit

_QUARTER, _HOUR, _DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)

# Passwords, by user and network; by user in a known browser; by user; by network.
PASSWORDS_AT_A_NAME = NamedLimit(10, _QUARTER, "password/{}/{}")
PASSWORDS_IN_KNOWN_BROWSERS = NamedLimit(10, _QUARTER, "password-known/{}")
PASSWORDS_OF_A_NAME = NamedLimit(20, _QUARTER, "password/{}")
"""Eighty an hour, for as long as somebody goes on from ever new addresses."""
PASSWORDS_FROM_AN_ADDRESS = NamedLimit(60, _QUARTER, "passwords-from/{}")

# The old password and codes, by who is signed in or knows the password.
PASSWORD_CHANGES = NamedLimit(10, _QUARTER, "password-change/{}")
CODES_OF_A_NAME = NamedLimit(5, _QUARTER, "code/{}")
WRONG_CODES_OF_A_NAME = NamedLimit(19, 19 * _DAY, "wrong-code/{}")
"""With the twentieth since the last right one, codes rest; each is forgotten after a day."""
REST_OF_CODES = _HOUR

# New accounts, or being told that a name is taken; giving an account an e-mail address.
SIGN_UPS_FROM_AN_ADDRESS = NamedLimit(30, _HOUR, "sign-ups-from/{}")
SIGN_UPS_WITH_AN_EMAIL = NamedLimit(5, _DAY, "sign-ups-with/{}")

# E-mails, by the address they go to, by who is signed in, by who asks for them.
LETTERS_TO_AN_EMAIL = NamedLimit(10, _HOUR, "letters-to/{}")
"""As long as a link for a new password works: whoever gets no further email has one that works."""
NOTICES_TO_AN_EMAIL = NamedLimit(20, _HOUR, "notices-to/{}")
"""Of what was done in an account. Links, which anybody can ask for, must not use them up."""
CONFIRMATIONS_OF_A_NAME = NamedLimit(5, _HOUR, "confirmation/{}")
RESETS_AT_A_NAME = NamedLimit(5, _HOUR, "reset/{}/{}")
"""By user name or e-mail address, and network."""
RESETS_FROM_AN_ADDRESS = NamedLimit(20, _HOUR, "resets-from/{}")
