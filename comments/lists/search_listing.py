"""What a page says of a search: its words, those that were left out, and where it was made."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from comments.filters import language_name
from comments.host import COMMENTS
from comments.lists.search_queries import SearchRequest
from comments.search.words import BadSearch, Search, parse_search
from dynapages.django.paging import Toggle


def search_asked(request: HttpRequest) -> SearchRequest | None:
    """Return the search of a request, None without one; only staff find hidden comments."""
    typed = request.GET.get("q", "")
    if not COMMENTS["SEARCH"] or not typed.strip():
        return None
    with_hidden = request.GET.get("hidden") == "1" and request.user.is_staff
    is_typed = request.headers.get("HX-Trigger") == "search-words"  # the field's id
    try:
        return SearchRequest(parse_search(typed), with_hidden, is_typed=is_typed)
    except BadSearch as error:
        return SearchRequest(Search(typed, ()), with_hidden, str(error), is_typed)


def search_shown(
    wanted: SearchRequest, languages: Sequence[str], url_of: Callable[[SearchRequest | None], str]
) -> dict[str, Any]:
    """Arrange a search for the page of its list, which is in these ``languages``.

    ``url_of`` returns the URL of the same list with another search. The URL of each chip leads
    to the search without its word; ``is_made`` is whether anything was searched for.
    """
    searched = wanted.searched(languages[: wanted.most_languages])

    def url_without(word: str) -> str:
        left = " ".join(other for other in wanted.search.words if other != word)
        return url_of(replace(wanted, search=Search(left, ())) if left else None)

    return {
        "request": wanted,
        "languages": languages,
        "chips": tuple(
            Toggle(word, word, url_without(word), pressed=True) for word in wanted.search.words
        ),
        "is_made": bool(searched),
        "sentences": tuple(_not_searched(wanted, languages, searched)),
    }


def _not_searched(
    wanted: SearchRequest, languages: Sequence[str], searched: Collection[str]
) -> Iterator[str]:
    """Yield sentences on what was not searched for, where, and why."""
    if wanted.refused:
        yield wanted.refused
    elif not wanted.search.words:
        yield _("There is no word to search for: use letters or digits.")
    elif languages and not searched:
        yield _("These words are in too many comments. Add a rarer one.")
    else:
        words = [
            _("“%(word)s” (%(language)s)") % {"word": word, "language": language_name(language)}
            for language in searched
            for word in wanted.search.common(language)
        ]
        if words:
            yield _("Left out, as many comments have it: %(words)s.") % {"words": ", ".join(words)}
        read_in, beyond = languages[: wanted.most_languages], languages[wanted.most_languages :]
        if others := [language_name(one) for one in read_in if one not in searched]:
            sentence = _("Not searched, as all of these words are common there: %(languages)s.")
            yield sentence % {"languages": ", ".join(others)}
        if beyond:
            sentence = ngettext(
                "Not searched: %(number)s language with few comments. You can choose it.",
                "Not searched: %(number)s languages with few comments. You can choose them.",
                len(beyond),
            )
            yield sentence % {"number": len(beyond)}
