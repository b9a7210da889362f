"""The form in which staff name a word that is to be no topic."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments.filters import all_languages
from comments.search.words import LONGEST_WORD, BadSearch, parse_search, stems_of
from comments.topics.bans import Word


class BanForm(forms.Form):
    """A word in a language; all of its forms are meant."""

    word = forms.CharField(label=gettext_lazy("Word"), max_length=LONGEST_WORD)
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=all_languages)

    def clean(self) -> dict[str, Any]:
        """Find the stem of the word, by which it is banned."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                cleaned["stem"] = _stem_of(cleaned["word"], cleaned["language"])
            except ValidationError as error:
                self.add_error("word", error)
        return cleaned

    @property
    def banned(self) -> Word:
        """What is to be banned, once the form is valid."""
        return self.cleaned_data["language"], self.cleaned_data["stem"]


def _stem_of(text: str, language: str) -> str:
    """Return the stem of a text of one word. Raises ValidationError."""
    try:
        words = parse_search(text).words
    except BadSearch:
        words = ()
    if len(words) != 1:
        raise ValidationError(_("Enter one word, of letters and digits."))
    stems = stems_of(words[0], language)
    if len(stems) != 1:
        raise ValidationError(_("This word is so common in the language that it is never a topic."))
    return stems[0]
