"""Forms for codes."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dynapages.calls import clock
from dynapages.django.paging import site_of
from dynapages.django.rate_limits import Use, count_uses
from dynapages.django.security_log import log_event
from shop.accounts import rate_limits
from shop.accounts.emails import queue_email
from shop.accounts.forms import LimitedForm
from shop.accounts.models import User
from shop.accounts.rate_limits import clear, rest
from shop.accounts.second_factor.services import accept, step_of, without_blanks

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

WRONG_CODE = _("Wrong code. Type the code that the app shows now. Each code works once.")


def _code_field(help_text: "StrOrPromise") -> forms.CharField:
    """Build the field for a code, which browsers neither complete nor correct."""
    attributes = {
        "autocomplete": "one-time-code",
        "autocapitalize": "none",
        "spellcheck": "false",
    }
    widget = forms.TextInput(attrs=attributes)
    return forms.CharField(label=_("Code"), max_length=40, help_text=help_text, widget=widget)


class UserForm(LimitedForm):
    """A form about the second factor of ``user``."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(*args, **kwargs)
        self.user = user

    def refuse(self, sentence: "StrOrPromise") -> ValidationError:
        """Log that a code or password was wrong; return the error to be raised."""
        log_event("second-factor-failed", user=self.user.username, request=self.request)
        return ValidationError(sentence)


class CodeForm(UserForm):
    """A code of the app, or a recovery code; it is used up by validation."""

    code = _code_field(_("The six digits in your app, or a recovery code."))

    def clean_code(self) -> str:
        """Use up the code. Raises ValidationError for a wrong one, and beyond a limit."""
        username = self.user.username
        codes = rate_limits.CODES_OF_A_NAME.use(username)
        wrong_codes = rate_limits.WRONG_CODES_OF_A_NAME.use(username)
        self.count_attempt(codes, user=username)
        # Accepting a code writes that it was used: it would be refused a second time.
        code: str = self.cleaned_data["code"]
        accepted = accept(self.user, code, now=clock.now(), site=site_of(self.request))
        if accepted is None:
            # Guessing slowly, below the limit, is stopped by a limit on wrong codes over days.
            refusal = self.refuse(WRONG_CODE)
            if count_uses(wrong_codes, now=clock.now()):
                self._rest(codes)
            raise refusal
        if accepted == "recovery":
            log_event("recovery-code-used", user=username, request=self.request)
        clear(wrong_codes)
        return code

    def _rest(self, codes: Use) -> None:
        """Accept no code of the user for an hour, and e-mail them. Raises ValidationError."""
        username = self.user.username
        queue_email("codes_rest", username, site_of(self.request))
        rest(codes, lasts=rate_limits.REST_OF_CODES, now=clock.now())
        clear(rate_limits.WRONG_CODES_OF_A_NAME.use(username))
        self.count_attempt(codes, user=username)


class OwnPasswordForm(UserForm):
    """A form that asks for the password: an open session alone must not do."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def clean_password(self) -> str:
        """Check the password. Raises ValidationError, also beyond a limit."""
        username = self.user.username
        self.count_attempt(rate_limits.PASSWORD_CHANGES.use(username), user=username)
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise self.refuse(_("Wrong password."))
        return password


class SetUpForm(OwnPasswordForm):
    """The password once more, and the first code of an app; ``step`` is the code's."""

    code = _code_field(_("The six digits in your app."))

    def __init__(self, *args: Any, secret: str, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(*args, **kwargs)
        self.secret = secret
        self.step = 0

    def clean_code(self) -> str:
        """Compare the code with the secret, and note its step. Raises ValidationError."""
        # Nothing is stored yet: the view stores the secret with this code's step.
        code = without_blanks(self.cleaned_data["code"])
        step = step_of(self.secret, code, now=clock.now(), after=None)
        if step is None:
            raise self.refuse(WRONG_CODE)
        self.step = step
        return code
