"""Text fields whose characters are counted while one types."""

from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext as _

from dynamo.web.numbers import grouped


def count_characters(form: forms.Form, name: str, *, longest: int) -> None:
    """Mark a field of ``longest`` characters for the script that counts them.

    A text that is too long is not cut off, but shown again with an error.
    """
    bound = form[name]
    attributes = bound.field.widget.attrs
    attributes.pop("maxlength", None)
    attributes["data-longest"] = str(longest)
    bound.help_text = format_html(
        '{} <span data-count-of="{}" data-fits="{}" data-too-many="{}">{}</span>',
        bound.help_text,
        bound.auto_id,
        _("{length} of {longest} characters."),
        _("{length} characters: {over} too many."),
        _("Up to %(longest)s characters.") % {"longest": grouped(longest)},
    )


class TextField(forms.CharField):
    """A text whose line ends count as one character each."""

    def to_python(self, value: Any) -> str:  # noqa: ANN401 - Django's
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if text else ""
