"""The rule for new passwords besides those of Django, for ``AUTH_PASSWORD_VALIDATORS``."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

LONGEST = 128
SHORTEST_OF_STAFF = 12


class LengthValidator:
    """Bounds the length, from below for staff alone: Django has a validator for all others."""

    def validate(self, password: str, user: object = None) -> None:
        least = SHORTEST_OF_STAFF if getattr(user, "is_staff", False) else 0
        if not least <= len(password) <= LONGEST:
            raise ValidationError(self.get_help_text(), code="password_length")

    def get_help_text(self) -> str:
        rule = _(
            "A password has at most %(longest)d characters. "
            "That of a member of staff has at least %(shortest)d."
        )
        return rule % {"longest": LONGEST, "shortest": SHORTEST_OF_STAFF}
