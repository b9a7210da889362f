"""Text fields whose characters are counted while one types."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.html import format_html
from django.utils.translation import gettext as _

from dynamo.web.numbers import grouped


class NoLonger(MaxLengthValidator):
    """Refuses a text that is too long, and says by how much."""

    def __call__(self, value: str) -> None:
        over = len(value) - self.limit_value
        if over > 0:
            sentence = _("%(length)s characters: %(over)s too many.")
            figures = {"length": grouped(len(value)), "over": grouped(over)}
            raise ValidationError(sentence, code="max_length", params=figures)


def bound_length(field: forms.Field, longest: int) -> None:
    """Let a field of ``longest`` characters say by how much a text is too long."""
    others = (each for each in field.validators if not isinstance(each, MaxLengthValidator))
    field.validators = [*others, NoLonger(longest)]


def count_characters(form: forms.Form, name: str, *, longest: int) -> None:
    """Mark a field of ``longest`` characters for the script that counts them.

    A text that is too long is not cut off, but shown again with an error.
    """
    bound = form[name]
    bound_length(bound.field, longest)
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
