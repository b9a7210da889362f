"""The forms of the account pages: Django's, with limits, on users in DynamoDB."""

from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    PasswordResetForm,
    SetPasswordForm,
    SetPasswordMixin,
)
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dynapages.calls import clock
from dynapages.django.paging import site_of
from dynapages.django.rate_limits import Use, client_network, count_uses, give_back, in_words
from dynapages.django.security_log import log_event
from shop.accounts import rate_limits
from shop.accounts.emails import owed_email, queue_email
from shop.accounts.hashing import acquire_slot, release_slot
from shop.accounts.models import User
from shop.accounts.names import (
    LONGEST_USERNAME,
    USERNAME,
    USERNAME_RULE,
    BadUsername,
    email_of,
    is_reserved,
    username_of,
)
from shop.accounts.services import TAKEN_USERNAME, create_profile, profile_of
from shop.accounts.sessions import is_known

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

LONGEST_EMAIL = 254
WITHOUT_EMAIL = _("Or create the account without an e-mail address.")


class LimitedForm(forms.Form):
    """A form with a rate limit; ``retry_after`` is in seconds, set when it was exceeded."""

    retry_after: int | None = None

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(*args, **kwargs)
        self.request = request

    def count_attempt(self, *uses: Use, user: str = "", hint: "StrPromise | None" = None) -> None:
        """Count an attempt at a user's account. Raises ValidationError beyond a limit.

        Where a password is to be hashed next, raises TooManyHashes before it is counted.
        ``hint`` is a sentence on what to do instead.
        """
        if self._has_password():
            acquire_slot()
        wait = count_uses(*uses, now=clock.now())
        if not wait:
            return
        # The name of the form says in the log what was tried.
        form = type(self).__name__
        log_event("too-many-attempts", user=user, request=self.request, form=form)
        self.retry_after = ceil(wait)
        too_many = ValidationError(
            gettext("Too many attempts. Try again in %(wait)s."),
            code="too_many",
            params={"wait": in_words(self.retry_after)},
        )
        raise ValidationError([too_many, hint] if hint else [too_many])

    def _has_password(self) -> bool:
        """Return whether the form has a field for a password, which will be hashed."""
        widgets = [field.widget for field in self.fields.values()]
        return any(isinstance(widget, forms.PasswordInput) for widget in widgets)


SHORTEST_USERNAME = 3


class LoginForm(LimitedForm, AuthenticationForm):  # type: ignore[misc] # it may have no request
    """User name and password; the right one does not count against the limits that others share."""

    error_messages = {  # noqa: RUF012 - as Django declares it
        **AuthenticationForm.error_messages,
        "invalid_login": _("Wrong user name or password."),
    }

    def clean(self) -> dict[str, Any]:
        """Count the attempt, and compare the password. Raises ValidationError."""
        # Counted before the password is compared, or guesses in parallel would go beyond the limit.
        shared_uses = self._count_sign_in()
        try:
            cleaned = super().clean()  # raises when the password is wrong
        finally:
            release_slot()
        give_back(*shared_uses)
        return cleaned

    def get_invalid_login_error(self) -> ValidationError:
        """Return the error for a wrong password; the name is logged only if it can be one."""
        # People type passwords into the wrong field, and logs are read by others.
        name = self.cleaned_data["username"].strip().lower()
        user = name if USERNAME.fullmatch(name) else ""
        log_event("sign-in-failed", user=user, request=self.request)
        return super().get_invalid_login_error()

    def _count_sign_in(self) -> list[Use]:
        """Count the attempt; return the uses of limits that are shared with others.

        Those are given back when the password is right. Raises ValidationError beyond a limit.
        """
        # An attempt is counted by network, by name in a browser that the user knows, or by both.
        typed = self.cleaned_data.get("username")
        if not typed or not self.cleaned_data.get("password"):
            return []  # nothing will be compared
        network = client_network(self.request)
        from_network = rate_limits.PASSWORDS_FROM_AN_ADDRESS.use(network)
        self.count_attempt(from_network)
        try:
            username = username_of(typed)
        except BadUsername:  # nobody's
            return [from_network]
        of_known = rate_limits.PASSWORDS_IN_KNOWN_BROWSERS.use(username)
        # So an attacker who uses up the limits of a name does not keep its owner out.
        if is_known(self.request, username) and not count_uses(of_known, now=clock.now()):
            return [from_network]
        of_name = rate_limits.PASSWORDS_OF_A_NAME.use(username)
        at_name = rate_limits.PASSWORDS_AT_A_NAME.use(username, network)
        self.count_attempt(at_name, of_name, user=username)
        return [from_network, of_name]


def _why_no_name(typed: str) -> str:
    """Return what is wrong with a user name; the field's help text has the whole rule."""
    name = typed.strip()
    if len(name) < SHORTEST_USERNAME:
        return gettext("This user name is too short: it needs 3 characters or more.")
    if not (name[0].isascii() and name[0].isalnum()):
        return gettext("This user name must begin with a letter from a to z or a digit.")
    return gettext(
        "This user name has a character that is not allowed, such as a space or an accent."
    )


class SignUpForm(LimitedForm, SetPasswordMixin):  # type: ignore[type-arg] # only in the stubs
    """A new account; the e-mail address may be left out."""

    username = forms.CharField(
        label=_("User name"),
        max_length=LONGEST_USERNAME,
        help_text=USERNAME_RULE,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "autofocus": True}
        ),
    )
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=LONGEST_EMAIL,
        required=False,
        help_text=_(
            "Only for e-mails about your account, such as a link when you forget your password."
        ),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password1, password2 = SetPasswordMixin.create_password_fields(
        label1=_("Password"), label2=_("Password again")
    )

    _user: User | None = None

    def clean_username(self) -> str:
        """Return the name as it is stored. Raises ValidationError, also for names of the shop."""
        try:
            username = username_of(self.cleaned_data["username"])
        except BadUsername as error:
            raise ValidationError(_why_no_name(self.cleaned_data["username"])) from error
        if is_reserved(username):
            raise ValidationError(_("This name is reserved for the shop. Choose another one."))
        return username

    def clean_email(self) -> str:
        return email_of(self.cleaned_data["email"])

    def clean(self) -> None:
        """Check the passwords, and count the attempt. Raises ValidationError."""
        self.validate_passwords()
        # Django compares the password with the user's other texts; this user is never saved.
        user = User(
            username=self.cleaned_data.get("username", ""), email=self.cleaned_data.get("email", "")
        )
        self.validate_password_for_user(user, "password1")
        if user.username:  # the page says whether that is taken, whatever else is wrong
            self.count_attempt(
                rate_limits.SIGN_UPS_FROM_AN_ADDRESS.use(client_network(self.request))
            )
        if not self.errors:
            if user.email:
                with_email = rate_limits.SIGN_UPS_WITH_AN_EMAIL.use(user.email)
                self.count_attempt(with_email, hint=WITHOUT_EMAIL)
        elif user.username and profile_of(user.username):
            self.add_error("username", TAKEN_USERNAME)

    def create_user(self, *, now: datetime) -> None:
        """Create the user of the valid form. Raises UsernameTaken."""
        username = self.cleaned_data["username"]
        email = self.cleaned_data["email"]
        owes = []
        if email:
            owes.append(owed_email("confirm", username, site_of(self.request)))
        profile = create_profile(
            username=username,
            password=self.cleaned_data["password1"],
            email=email,
            now=now,
            owes=owes,
        )
        self._user = User.of(profile)

    def get_user(self) -> User | None:
        """Return the created user, for Django's login view."""
        return self._user


class PasswordForm(LimitedForm, PasswordChangeForm):
    """A new password, with a limit on attempts at the old one."""

    def clean_old_password(self) -> str:
        """Check the password in use. Raises ValidationError, also beyond a limit."""
        username = self.user.get_username()
        self.count_attempt(rate_limits.PASSWORD_CHANGES.use(username), user=username)
        old_password: str = super().clean_old_password()
        return old_password


class NewPasswordForm(LimitedForm, SetPasswordForm):  # type: ignore[type-arg] # only in the stubs
    """A new password, by a link that was sent."""


class ResetForm(LimitedForm, PasswordResetForm):
    """Whom to send a link for a new password; the answer does not say whether they exist."""

    email = forms.CharField(
        label=_("User name or e-mail address"),
        max_length=LONGEST_EMAIL,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )

    def clean_email(self) -> str:
        """Return the name or address as it is stored; count the request. Raises ValidationError."""
        name_or_email = email_of(self.cleaned_data["email"])
        network = client_network(self.request)
        # What cannot be a user has no limit of its own: it would be an item for any text.
        uses = [rate_limits.RESETS_FROM_AN_ADDRESS.use(network)]
        if _is_valid_name_or_email(name_or_email):
            uses.append(rate_limits.RESETS_AT_A_NAME.use(name_or_email, network))
        self.count_attempt(*uses)
        return name_or_email

    def save(self, *, request: HttpRequest, **_: object) -> None:  # type: ignore[override] # as called
        """Have an e-mail sent to the users, if there are any."""
        queue_email("reset", self.cleaned_data["email"], site_of(request))


def _is_valid_name_or_email(text: str) -> bool:
    """Return whether a text can be a user name or an e-mail address; nobody need have it."""
    try:
        if "@" in text:
            validate_email(text)
        else:
            username_of(text)
    except (ValidationError, BadUsername):
        return False
    return True
