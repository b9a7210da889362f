"""The form for another e-mail address."""

from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dynapages.django.rate_limits import client_network
from shop.accounts import rate_limits
from shop.accounts.forms import LONGEST_EMAIL
from shop.accounts.names import email_of
from shop.accounts.second_factor.forms import OwnPasswordForm

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class EmailForm(OwnPasswordForm):
    """A new address for ``user``."""

    new_email = forms.EmailField(
        label=_("New e-mail address"),
        max_length=LONGEST_EMAIL,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )
    field_order = ("new_email", "password")

    def refuse(self, sentence: "StrOrPromise") -> ValidationError:
        return ValidationError(sentence)

    def clean_new_email(self) -> str:
        """Return the new address as it is stored. Raises ValidationError for the old one."""
        address = email_of(self.cleaned_data["new_email"])
        if address == self.user.email:
            raise ValidationError(_("This is your e-mail address already."))
        return address

    def clean(self) -> None:
        """Count the attempt once all fields are right. Raises ValidationError beyond a limit."""
        # Nothing is sent then, so nothing is counted.
        if self.errors:
            return
        username = self.user.username
        network = client_network(self.request)
        self.count_attempt(
            rate_limits.RESETS_FROM_AN_ADDRESS.use(network),
            rate_limits.CONFIRMATIONS_OF_A_NAME.use(username),
            rate_limits.SIGN_UPS_WITH_AN_EMAIL.use(self.cleaned_data["new_email"]),
            user=username,
        )
