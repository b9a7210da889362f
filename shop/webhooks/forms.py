"""The form in which staff write a new webhook."""

from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from shop.webhooks.addresses import LONGEST_URL, BadUrl, target_of
from shop.webhooks.events import MEANINGS

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise


def _events() -> list[tuple[str, "StrPromise"]]:
    """Return the events with their meanings: a project adds its own when apps are ready."""
    return list(MEANINGS.items())


class WebhookForm(forms.Form):
    """An address, and the events that are sent there."""

    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_URL,
        help_text=_("It begins with https://, and can be reached from anywhere."),
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=_events,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose the events that are sent to the address.")},
    )

    def clean_url(self) -> str:
        """Return the address. Raises ValidationError for one that no webhook can have."""
        url: str = self.cleaned_data["url"]
        try:
            target_of(url)
        except BadUrl as error:
            raise ValidationError(str(error)) from error
        return url
