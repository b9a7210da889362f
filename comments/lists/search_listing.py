"""What a page says of a search: its words, those that were left out, and where it was made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from comments.filters import CommentFilter, language_name
from comments.host import COMMENTS
from comments.lists.queries import CommentPage, Reach
from comments.lists.search_queries import SearchRequest
from comments.search.words import BadSearch, Search, parse_search
from comments.store.counts import Cell
from dynapages.django.paging import Toggle

MOST_NAMED = 4
"""Languages that a sentence names, before it gives the number of the others."""
NOT_SEARCHED = Reach()


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
    wanted: SearchRequest,
    found: CommentPage,
    url_of: Callable[[SearchRequest | None], str],
) -> dict[str, Any]:
    """Arrange a search for a page of its list.

    ``url_of`` returns the URL of the same list with another search. The URL of each chip leads
    to the search without its word; ``is_made`` is whether anything was searched for, or would have
    been if the product had comments.
    """

    def url_without(word: str) -> str:
        left = " ".join(other for other in wanted.search.words if other != word)
        return url_of(replace(wanted, search=Search(left, ())) if left else None)

    return {
        "request": wanted,
        "chips": tuple(
            Toggle(word, word, url_without(word), pressed=True) for word in wanted.search.words
        ),
        "is_made": is_made(wanted.search, found.reach or NOT_SEARCHED),
        "sentences": tuple(_sentences(wanted, found)),
    }


def is_made(search: Search, reach: Reach) -> bool:
    """Return whether a search looks for anything: not if all its words are common, or it has none.

    In a product without comments there is no language for a word to be common in.
    """
    if not search.words:
        return False
    return bool(reach.languages or reach.later) or not reach.common


def words_left_out(search: Search, languages: Sequence[str]) -> list[tuple[str, str]]:
    """Return words with the languages of these in which they are not looked for: common ones."""
    return [(word, language) for language in languages for word in search.common(language)]


# Sentences.


def _sentences(wanted: SearchRequest, found: CommentPage) -> Iterator[str]:
    """Yield sentences on what was not searched for, where, and why; and on what follows."""
    search, reach = wanted.search, found.reach or NOT_SEARCHED
    if wanted.refused:
        yield wanted.refused
        return
    if not search.words and not search.alone:
        yield _("There is no word to search for: use letters or digits.")
        return
    if search.words and not is_made(search, reach):
        yield _("These words are in too many comments. Add a rarer one.")
    elif reach.languages:
        yield from _common_words(search, reach)
    if search.ignored:
        yield ngettext(
            "Left out, as it has no letters or digits: %(parts)s.",
            "Left out, as they have no letters or digits: %(parts)s.",
            len(search.ignored),
        ) % {"parts": _quoted(search.ignored)}
    if search.alone:
        yield ngettext(
            "%(characters)s is one character: search for it together with the one beside it.",
            "%(characters)s are single: search for each together with the character beside it.",
            len(search.alone),
        ) % {"characters": _quoted(search.alone)}
    yield from _groups(found, reach)


def _common_words(search: Search, reach: Reach) -> Iterator[str]:
    if words := words_left_out(search, reach.languages):
        named = [
            _("“%(word)s” (%(language)s)") % {"word": word, "language": language_name(language)}
            for word, language in words
        ]
        yield _("Left out, as many comments have it: %(words)s.") % {"words": ", ".join(named)}
    if reach.common:
        names = ", ".join(map(language_name, reach.common))
        sentence = _("Not searched, as all of these words are common there: %(languages)s.")
        yield sentence % {"languages": names}


def _groups(found: CommentPage, reach: Reach) -> Iterator[str]:
    """Yield in which languages this page is and which follow, if they are read in groups."""
    if behind := _behind_the_first_group(found, reach):
        sentence = _("Comments in %(languages)s come behind those in languages with more comments.")
        yield sentence % {"languages": _named(behind)}
    if reach.later:
        sentence = _("Comments in %(languages)s come behind these.")
        yield sentence % {"languages": _named(reach.later)}


def _behind_the_first_group(found: CommentPage, reach: Reach) -> list[str]:
    """Return the languages of the groups behind the first one that a page is in."""
    groups = list(dict.fromkeys(found.sections.values()))
    if not groups or not reach.languages:
        return []
    last = first = groups.index(found.sections[reach.languages[-1]])
    if found.comments:
        # One that was just written may be in a language that is not counted yet.
        group = found.sections.get(found.comments[0].language, groups[last])
        first = groups.index(group)
    on_page = groups[max(first, 1) : last + 1]
    return [language for language, group in found.sections.items() if group in on_page]


def _quoted(parts: Sequence[str]) -> str:
    return ", ".join(_("“%(text)s”") % {"text": part} for part in parts)


def _named(languages: Sequence[str]) -> str:
    """Format languages, such as ``Danish, Finnish and 3 more languages``."""
    names = [language_name(code) for code in languages]
    if len(names) == 1:
        return names[0]
    if len(names) <= MOST_NAMED:
        return _("%(others)s and %(last)s") % {"others": ", ".join(names[:-1]), "last": names[-1]}
    named = names[: MOST_NAMED - 1]
    number = len(names) - len(named)
    return _("%(languages)s and %(number)s more languages") % {
        "languages": ", ".join(named),
        "number": number,
    }


# Numbers beside the filters.


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many comments of a search have a language or a rating, as far as its page shows that.

    ``matches`` are language and rating of each, ``searched`` the languages. ``without_languages``
    is a sentence on why languages are not counted, empty where they are; so is ``without_ratings``.
    """

    matches: tuple[Cell, ...]
    searched: tuple[str, ...]
    without_languages: str
    without_ratings: str

    def in_language(self, code: str) -> int | None:
        """Return the number in a language, None where it is not known."""
        if self.without_languages or code not in self.searched:
            return None
        return sum(language == code for language, _rating in self.matches)

    def with_rating(self, rating: int) -> int | None:
        """Return the number with a rating, None where it is not known."""
        if self.without_ratings:
            return None
        return sum(each == rating for _language, each in self.matches)

    @property
    def in_any_language(self) -> int | None:
        return None if self.without_languages else len(self.matches)

    @property
    def with_any_rating(self) -> int | None:
        return None if self.without_ratings else len(self.matches)


def match_counts(found: CommentPage, chosen: CommentFilter) -> MatchCounts:
    """Count what a page of a search shows, if it shows all of it.

    Languages are counted where none is chosen: of the others nothing is known else. So are ratings.
    """
    page, reach = found.page, found.reach or NOT_SEARCHED
    if page.has_next or page.has_previous:
        reason = _("Not counted, as the search has more pages.")
    elif not reach.languages or not found.pending.are_all_named:
        reason = _("Not counted for this search.")
    else:
        reason = ""
    of_languages = of_ratings = reason
    if chosen.languages:
        of_languages = reason or _("Not counted, as languages are chosen.")
    if chosen.ratings:
        of_ratings = reason or _("Not counted, as ratings are chosen.")
    return MatchCounts(
        matches=tuple(sorted((comment.language, comment.rating) for comment in found.comments)),
        searched=reach.languages,
        without_languages=of_languages,
        without_ratings=of_ratings,
    )
