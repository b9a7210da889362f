"""What a page says of a search: its words, those that were left out, and where it was made."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from comments.filters import language_name
from comments.host import COMMENTS
from comments.search.queries import SearchRequest, most_languages
from comments.search.words import BadSearch, Search, parse_search
from dynapages.django.paging import Toggle

FIELD = "search-words"
"""The id of the field that is searched by."""


def search_asked(request: HttpRequest) -> SearchRequest | None:
    """Return the search of a request, None without one; only staff find hidden comments."""
    typed = request.GET.get("q", "")
    if not COMMENTS["SEARCH"] or not typed.strip():
        return None
    with_hidden = request.GET.get("hidden") == "1" and request.user.is_staff
    is_typed = request.headers.get("HX-Trigger") == FIELD
    try:
        return SearchRequest(parse_search(typed), with_hidden, is_typed=is_typed)
    except BadSearch as error:
        return SearchRequest(Search(typed, ()), with_hidden, str(error), is_typed)


@dataclass(frozen=True, slots=True)
class SearchShown:
    """A search as the page of its list shows it, by the ``languages`` of the list.

    ``url_of`` returns the URL of the same list with the query of another search.
    """

    request: SearchRequest
    languages: Sequence[str]
    url_of: Callable[[str], str]

    @property
    def text(self) -> str:
        return self.request.search.text

    @property
    def chips(self) -> tuple[Toggle, ...]:
        """Return each word, with the URL of the search without it."""
        words = self.request.search.words
        return tuple(
            Toggle(word, word, self.url_of(self._without(number)), pressed=True)
            for number, word in enumerate(words)
        )

    @property
    def is_made(self) -> bool:
        """Whether anything was searched for."""
        return bool(self.request.searched(self._read_in))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what was not searched for, where, and why."""
        search = self.request.search
        if self.request.refused:
            return (self.request.refused,)
        if not search.words:
            return (_("There is no word to search for: use letters or digits."),)
        if self.languages and not self.is_made:
            return (_("These words are in too many comments. Add a rarer one."),)
        return tuple(self._left_out())

    def _left_out(self) -> Iterable[str]:
        searched = self.request.searched(self._read_in)
        common = {one: self.request.search.common(one) for one in searched}
        words = [
            _("“%(word)s” (%(language)s)") % {"word": word, "language": language_name(language)}
            for language, some in common.items()
            for word in some
        ]
        if words:
            yield _("Left out, as many comments have it: %(words)s.") % {"words": ", ".join(words)}
        if others := [language_name(one) for one in self._read_in if one not in searched]:
            sentence = _("Not searched, as all of these words are common there: %(languages)s.")
            yield sentence % {"languages": ", ".join(others)}
        if beyond := len(self.languages) - len(self._read_in):
            sentence = ngettext(
                "Not searched: %(number)s language with few comments. You can choose it.",
                "Not searched: %(number)s languages with few comments. You can choose them.",
                beyond,
            )
            yield sentence % {"number": beyond}

    @property
    def _read_in(self) -> Sequence[str]:
        return self.languages[: most_languages(self.request)]

    def _without(self, number: int) -> str:
        words = self.request.search.words
        left = Search(" ".join([*words[:number], *words[number + 1 :]]), ())
        return replace(self.request, search=left).query if left.text else ""
