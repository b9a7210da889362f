"""The form that asks why an order is cancelled or sent back."""

from django import forms
from django.utils.translation import gettext_lazy

LONGEST_REASON = 300
"""Characters."""


class ReasonField(forms.CharField):
    """A text whose ends of lines count as one character, as browsers count them."""

    def to_python(self, value: str | None) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class ReasonForm(forms.Form):
    """Why an order is called off or sent back."""

    reason = ReasonField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The customer and the shop can read it with the order."),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
