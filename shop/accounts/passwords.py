"""The rule for new passwords besides those of Django, for ``AUTH_PASSWORD_VALIDATORS``."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

LONGEST = 128
SHORTEST_OF_STAFF = 12
"""Also of a password of letters alone."""


class LengthValidator:
    """Bounds the length: from above, and from below for staff and for what may be one word.

    Django has a validator for all others, and one that refuses common passwords by a list. Words of
    a language are in no such list, and are tried as well.
    """

    def validate(self, password: str, user: object = None) -> None:
        is_longer = getattr(user, "is_staff", False) or password.isalpha()
        least = SHORTEST_OF_STAFF if is_longer else 0
        if not least <= len(password) <= LONGEST:
            raise ValidationError(self.get_help_text(), code="password_length")

    def get_help_text(self) -> str:
        rule = _(
            "A password has at most %(longest)d characters. "
            "That of a member of staff has at least %(shortest)d, "
            "and so has one of letters alone."
        )
        return rule % {"longest": LONGEST, "shortest": SHORTEST_OF_STAFF}
