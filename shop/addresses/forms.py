"""The form of the address that an order goes to."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from shop.addresses.address import NewAddress
from shop.addresses.checking import BadAddress, checked_address
from shop.addresses.countries import countries_by_name

LONGEST_PART = 100
LONGEST_LINES = 300
LONGEST_POSTAL_CODE = 20
"""Characters."""
PREFIX = "address"
"""What the names of the fields begin with: other fields are in the same form."""


class PartField(forms.CharField):
    """A part of an address, which its country needs or not; it is not called optional."""

    def validate(self, value: str) -> None:
        """Leave it to the country whether the part may be empty."""


class LinesField(PartField):
    """A text of some lines, without those that are empty and spaces around them."""

    def to_python(self, value: str | None) -> str:
        return tidy_lines(super().to_python(value) or "")


def tidy_lines(text: str) -> str:
    """Return a text without its empty lines, and without spaces around the others."""
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line)


def _site_country() -> str:
    """Return the code of the shop's country; empty in a project that does not set it."""
    country: str = getattr(settings, "SITE_COUNTRY", "")
    return country


def _choices() -> Iterable[tuple[str, Any]]:
    """Return the countries to choose from, in the language of the request."""
    return [("", _("Choose a country")), *countries_by_name(first=_site_country())]


class AddressForm(forms.Form):
    """An address; which parts are needed, and what they look like, depends on the country.

    After `is_valid`, ``address`` is the one that was typed.
    """

    use_required_attribute = False  # a pickup point needs no address

    name = PartField(
        label=_("Name"),
        max_length=LONGEST_PART,
        widget=forms.TextInput(attrs={"autocomplete": "shipping name"}),
    )
    lines = LinesField(
        label=_("Street and number"),
        help_text=_("And what else leads to the door, a line for each."),
        max_length=LONGEST_LINES,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "shipping street-address"}),
    )
    postal_code = PartField(
        label=_("Postal code"),
        max_length=LONGEST_POSTAL_CODE,
        widget=forms.TextInput(attrs={"autocomplete": "shipping postal-code"}),
    )
    city = PartField(
        label=_("City"),
        max_length=LONGEST_PART,
        widget=forms.TextInput(attrs={"autocomplete": "shipping address-level2"}),
    )
    region = forms.CharField(
        label=_("Region"),
        help_text=_("A state or province, in countries whose addresses have one."),
        max_length=LONGEST_PART,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "shipping address-level1"}),
    )
    country = forms.ChoiceField(
        label=_("Country"),
        choices=_choices,
        widget=forms.Select(attrs={"autocomplete": "shipping country"}),
    )

    address: NewAddress

    def clean(self) -> dict[str, Any]:
        """Check the parts together by their country, once each of them is a text."""
        parts: dict[str, Any] = self.cleaned_data
        if self.errors:  # a part is too long, or there is no such country
            return parts
        try:
            self.address = checked_address(NewAddress(**parts))
        except BadAddress as error:
            for part, sentence in error.problems.items():
                self.add_error(part, sentence)
        return parts


def address_form(before: NewAddress | None) -> AddressForm:
    """Return the form with the address that was typed before, or with the site's country."""
    initial = {"country": _site_country()}
    if before is not None:
        initial = asdict(before)
    return AddressForm(prefix=PREFIX, initial=initial)


def typed_again(sent: QueryDict) -> AddressForm:
    """Return the form with what was typed so far, which is not checked yet."""
    form = AddressForm(prefix=PREFIX)
    form.initial = {name: sent.get(form.add_prefix(name), "") for name in form.fields}
    return form
