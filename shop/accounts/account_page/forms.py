"""The form for another e-mail address."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from shop.accounts import rate_limits
from shop.accounts.forms import LONGEST_EMAIL, LimitedForm
from shop.accounts.models import User
from shop.accounts.names import email_of
from shop.accounts.second_factor.forms import WRONG_PASSWORD
from shop.web.visitor import client_network

SAME_ADDRESS = _("This is your e-mail address already.")


class EmailForm(LimitedForm):
    """A new address for ``user``, and the password: an open session alone must not do."""

    new_email = forms.EmailField(
        label=_("New e-mail address"),
        max_length=LONGEST_EMAIL,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(*args, **kwargs)
        self.request = request
        self.user = user

    def clean_new_email(self) -> str:
        address = email_of(self.cleaned_data["new_email"])
        if address == self.user.email:
            raise ValidationError(SAME_ADDRESS)
        return address

    def clean_password(self) -> str:
        username = self.user.username
        self.take(rate_limits.PASSWORD_CHANGES.use(username), user=username)
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(WRONG_PASSWORD)
        return password

    def clean(self) -> None:
        if self.errors:
            return
        username, network = self.user.username, client_network(self.request)
        self.take(
            rate_limits.RESETS_FROM_AN_ADDRESS.use(network),
            rate_limits.CONFIRMATIONS_OF_A_NAME.use(username),
            rate_limits.SIGN_UPS_WITH_AN_EMAIL.use(self.cleaned_data["new_email"]),
            user=username,
        )
