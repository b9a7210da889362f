"""The rule for new passwords besides those of Django, for ``AUTH_PASSWORD_VALIDATORS``."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

LONGEST_PASSWORD = 128
SHORTEST_STAFF_PASSWORD = 12
"""Also of a password of letters alone."""


class LengthValidator:
    """Bounds the length: from above, and from below for staff and for what may be one word."""

    def validate(self, password: str, user: object = None) -> None:
        """Raise ValidationError for a password that is too long or too short."""
        is_of_staff = getattr(user, "is_staff", False)
        shortest = SHORTEST_STAFF_PASSWORD if is_of_staff or password.isalpha() else 0
        if not shortest <= len(password) <= LONGEST_PASSWORD:
            raise ValidationError(self.get_help_text(), code="password_length")

    def get_help_text(self) -> str:
        """Return the rule as a sentence."""
        rule = _(
            "A password may have up to %(longest)d characters. "
            "If it has only letters, it needs at least %(shortest)d. "
            "Members of staff always need at least %(shortest)d."
        )
        return rule % {"longest": LONGEST_PASSWORD, "shortest": SHORTEST_STAFF_PASSWORD}
