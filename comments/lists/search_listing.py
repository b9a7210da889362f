"""What a page says of a search: its words, those that were left out, where it was made, numbers.

`search_in` reads it from a request, `search_shown` arranges it for the template. `total_of_search`
and `match_counts` say how many comments it has found, as far as the page shows that.
"""

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
from dynapages.lists import LIST_EDGE, Toward

MOST_NAMED = 4
"""Languages that a sentence names, before it gives the number of the others."""
FIELD_ID = "search-words"
"""The id of the field in which a search is typed; htmx sends it with what is typed there."""
NOT_SEARCHED = Reach()


def search_in(request: HttpRequest) -> SearchRequest | None:
    """Return the search that the address of a request asks for by ``?q=``, None without one.

    Only staff find hidden comments by ``&hidden=1``. A search that cannot be made is returned
    without words, and with the sentence on why it is ``refused``.
    """
    text = request.GET.get("q", "")
    if not COMMENTS["SEARCH"] or not text.strip():
        return None
    refused = ""
    try:
        search = parse_search(text)
    except BadSearch as error:
        search = _without_words(text)
        refused = str(error)
    # While somebody types, htmx sends the field by itself, and the answer must not replace it.
    is_typed = request.headers.get("HX-Trigger") == FIELD_ID
    return SearchRequest(
        search,
        with_hidden=request.GET.get("hidden") == "1" and request.user.is_staff,
        refused=refused,
        is_typed=is_typed,
    )


def _without_words(text: str) -> Search:
    """Return a search that has its text for the field and for URLs, but looks for nothing."""
    return Search(text, words=())


def search_shown(
    request: SearchRequest,
    results: CommentPage,
    url_of: Callable[[SearchRequest | None], str],
) -> dict[str, Any]:
    """Arrange a search for a page of its list.

    ``url_of`` returns the URL of the same list with another search. The URL of each chip leads
    to the search without its word; ``is_made`` is whether anything was searched for, or would have
    been if the product had comments.
    """
    words = request.search.words
    chips = []
    for word in words:
        other_words = " ".join(other for other in words if other != word)
        without = None
        if other_words:
            # It is for the URL alone, so that its words need not be parsed.
            without = replace(request, search=_without_words(other_words))
        chips.append(Toggle(word, word, url_of(without), pressed=True))
    return {
        "request": request,
        "chips": tuple(chips),
        "is_made": is_made(request.search, results.reach or NOT_SEARCHED),
        "sentences": tuple(_sentences(request, results)),
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
    left_out = []
    for language in languages:
        for word in search.common(language):
            left_out.append((word, language))
    return left_out


# Sentences.


def _sentences(request: SearchRequest, results: CommentPage) -> Iterator[str]:
    """Yield sentences on what was not searched for, where, and why; and on what follows."""
    search, reach = request.search, results.reach or NOT_SEARCHED
    if request.refused:
        yield request.refused
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
    yield from _groups(results, reach)


def _common_words(search: Search, reach: Reach) -> Iterator[str]:
    """Yield which words were left out, and in which languages nothing was searched."""
    words = []
    for word, language in words_left_out(search, reach.languages):
        names = {"word": word, "language": language_name(language)}
        words.append(_("“%(word)s” (%(language)s)") % names)
    if words:
        yield _("Left out, as many comments have it: %(words)s.") % {"words": ", ".join(words)}
    if reach.common:
        languages = ", ".join(language_name(code) for code in reach.common)
        sentence = _("Not searched, as all of these words are common there: %(languages)s.")
        yield sentence % {"languages": languages}


def _groups(results: CommentPage, reach: Reach) -> Iterator[str]:
    """Yield in which languages this page is and which follow, if they are read in groups."""
    behind = _behind_the_first_group(results, reach)
    if behind:
        sentence = _("Comments in %(languages)s come behind those in languages with more comments.")
        yield sentence % {"languages": _named(behind)}
    if reach.later:
        sentence = _("Comments in %(languages)s come behind these.")
        yield sentence % {"languages": _named(reach.later)}


def _behind_the_first_group(results: CommentPage, reach: Reach) -> list[str]:
    """Return the languages of the groups behind the first one that a page is in."""
    groups = list(dict.fromkeys(results.sections.values()))
    if not groups or not reach.languages:
        return []
    last = first = groups.index(results.sections[reach.languages[-1]])
    if results.comments:
        # One that was just written may be in a language that is not counted yet.
        group = results.sections.get(results.comments[0].language, groups[last])
        first = groups.index(group)
    on_page = groups[max(first, 1) : last + 1]
    behind = []
    for language, group in results.sections.items():
        if group in on_page:
            behind.append(language)
    return behind


def _quoted(parts: Sequence[str]) -> str:
    quoted = []
    for part in parts:
        # Quotation marks are those of the visitor's language.
        quoted.append(_("“%(text)s”") % {"text": part})
    return ", ".join(quoted)


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


# Numbers.


def total_of_search(search: Search, results: CommentPage, *, shown: int) -> int | None:
    """Return how many comments a search has, by a page that has ``shown`` so many.

    None if that is not known, or nothing was searched.
    """
    page, pending = results.page, results.pending
    if not is_made(search, results.reach or NOT_SEARCHED):
        return None
    if not pending.are_none:
        # The ordinals of a page count postings, of which some may not be right.
        if page.has_next or page.has_previous or not pending.are_all_named:
            return None
        return shown
    if page.has_next:
        return None
    if page.entries:
        last = page.entries[-1].position.ordinal
    elif not page.has_previous:
        last = LIST_EDGE
    elif page.start and page.toward is Toward.NEXT and not page.start.inclusive:
        last = page.start.ordinal  # nothing lies behind what it begins at
    else:
        last = None
    if last is None or not last.from_front:
        return None
    return last.number


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
        languages = [language for language, _rating in self.matches]
        return languages.count(code)

    def with_rating(self, rating: int) -> int | None:
        """Return the number with a rating, None where it is not known."""
        if self.without_ratings:
            return None
        ratings = [rating_of_match for _language, rating_of_match in self.matches]
        return ratings.count(rating)

    @property
    def in_any_language(self) -> int | None:
        if self.without_languages:
            return None
        return len(self.matches)

    @property
    def with_any_rating(self) -> int | None:
        if self.without_ratings:
            return None
        return len(self.matches)


def match_counts(results: CommentPage, chosen: CommentFilter) -> MatchCounts:
    """Count what a page of a search shows, if it shows all of it.

    Languages are counted where none is chosen: of the others nothing is known else. So are ratings.
    """
    page, reach = results.page, results.reach or NOT_SEARCHED
    if page.has_next or page.has_previous:
        reason = _("Not counted, as the search has more pages.")
    elif not reach.languages or not results.pending.are_all_named:
        reason = _("Not counted for this search.")
    else:
        reason = ""
    without_languages = without_ratings = reason
    if chosen.languages and not reason:
        without_languages = _("Not counted, as languages are chosen.")
    if chosen.ratings and not reason:
        without_ratings = _("Not counted, as ratings are chosen.")
    matches = sorted((comment.language, comment.rating) for comment in results.comments)
    return MatchCounts(tuple(matches), reach.languages, without_languages, without_ratings)
