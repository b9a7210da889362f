"""The rule for new passwords besides those of Django, for ``AUTH_PASSWORD_VALIDATORS``."""

from django.core.exceptions import ValidationError

LONGEST = 128
SHORTEST_OF_STAFF = 12
RULE = (
    f"A password has at most {LONGEST} characters, and that of a member of staff "
    f"at least {SHORTEST_OF_STAFF}."
)


class LengthValidator:
    """Bounds the length, from below for staff alone: Django has a validator for all others."""

    def validate(self, password: str, user: object = None) -> None:
        least = SHORTEST_OF_STAFF if getattr(user, "is_staff", False) else 0
        if not least <= len(password) <= LONGEST:
            raise ValidationError(RULE, code="password_length")

    def get_help_text(self) -> str:
        return RULE
