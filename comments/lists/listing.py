"""A list of comments as its page shows it: URLs, headings, and the filters to choose.

`list_url` and `pager_of` say where a list is, `heading_of` what it is called, `listing_of` arranges
a page of it for the template, and `progress_of` says how far a page came that is short.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from comments.filters import ANY, RATINGS, CommentFilter, language_name, language_names
from comments.host import COMMENTS
from comments.lists.orders import (
    LANGUAGES_OF_SITE,
    CommentOrder,
    month_name,
    month_options,
    order_options,
)
from comments.lists.queries import CommentPage, reached_at
from comments.lists.search_listing import MatchCounts, match_counts
from comments.lists.search_queries import SearchRequest
from comments.store.counts import ProductCounts, ValueCounts
from dynapages.django.paging import Pager, Toggle, address_of, grouped
from dynapages.lists import Order, Page, Toward, timestamp

REMEMBER = "remember"
"""The parameter of a link to a list whose choice of languages is remembered."""


# URLs.


def list_url(
    product_id: str,
    chosen: CommentFilter,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
) -> str:
    """Return the canonical URL of a list."""
    return _Lists(product_id, chosen, order, search).url_of(chosen)


def pager_of(
    product_id: str,
    chosen: CommentFilter,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
) -> Pager:
    """Return the pager of a list; to search engines, that of all comments is the product's page."""
    name = f"comments/{product_id}/{chosen.languages_in_url}/{chosen.ratings_in_url}"
    # Empty for lists that search engines take as they are.
    canonical = ""
    if not chosen.narrowed and order is CommentOrder.NEWEST and not search:
        canonical = address_of("comments:product", product_id)
    shape: dict[str, int | str] = {
        "languages": len(chosen.languages),
        "ratings": len(chosen.ratings),
        "order": order.value,
    }
    if search:
        shape["search"] = 1
    return Pager(
        first_url=list_url(product_id, chosen, order, search),
        list_name=name + _query(order, search),
        canonical=canonical,
        shape=shape,
    )


def _base_url(product_id: str) -> str:
    """Return what the URLs of all lists of a product's comments begin with."""
    # To reverse one address and cut it is faster than to reverse that of each toggle.
    return address_of("comments:list", product_id, ANY, ANY).removesuffix(f"{ANY}/{ANY}/")


def _query(order: CommentOrder, search: SearchRequest | None) -> str:
    if not search:
        return order.query
    if not order.query:
        return f"?{search.query}"
    return f"{order.query}&{search.query}"


def _with_remembered_languages(url: str) -> str:
    """Return the URL of a list whose languages are remembered (see `comments.views`)."""
    if "?" in url:
        return f"{url}&{REMEMBER}=languages"
    return f"{url}?{REMEMBER}=languages"


# What a page shows of its list.


def listing_of(
    product_id: str,
    chosen: CommentFilter,
    results: CommentPage,
    *,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
    is_remembered: bool = False,
    is_default_language: bool = False,
) -> dict[str, Any]:
    """Arrange a page of comments for its template.

    ``address`` is the URL of all such lists, with the names of the toggles for the values;
    ``all_url`` that of all comments, empty if these are. The URL of each ``chosen`` toggle leads to
    the list without its value. The languages offered are those the product has, and those chosen;
    ``is_remembered`` is whether the visitor has chosen all of them before. All of them keep a
    ``search``: then what is on the page is counted, if that is the whole list.
    """
    comments, counts = results.comments, results.counts
    lists = _Lists(product_id, chosen, order, search)
    numbers: MatchCounts | ValueCounts
    if search:
        numbers = match_counts(results, chosen)
    else:
        numbers = counts.by_value(chosen)
    all_languages, *languages = _languages(lists, counts, numbers, is_remembered=is_remembered)
    all_ratings, *ratings = _ratings(lists, numbers)
    months = counts.months
    if results.sections:
        # In a list that is read in groups of languages, only the first would begin at a month.
        months = {}
    month_shown = ""
    if comments:
        month_shown = comments[0].created_iso[: len("2026-03")]
    all_url = ""
    if chosen.narrowed:
        all_url = lists.url_of(CommentFilter())
    search_off_url = ""
    if search:
        search_off_url = list_url(product_id, chosen, order)
    return {
        "address": f"{lists.base_url}{{language}}/{{rating}}/{lists.query}",
        "all_url": all_url,
        "heading": heading_of(chosen, order, search),
        "order": order,
        "orders": order_options(by_time=bool(search)),
        "search_off_url": search_off_url,
        "is_searchable": COMMENTS["SEARCH"],
        "all_languages": all_languages,
        "languages": languages,
        "without_languages": numbers.without_languages,
        "all_ratings": all_ratings,
        "ratings": ratings,
        "without_ratings": numbers.without_ratings,
        "longest_bar": _longest_bar(ratings),
        "chosen": _pressed([*languages, *ratings]),
        "is_in_one_language": len(chosen.languages) == 1,
        "months": month_options(months, order, with_counts=not (chosen.narrowed or search)),
        "url": list_url(product_id, chosen),
        "average_rating": counts.average_rating,
        "comments_of_product": counts.total,
        "comments": comments,
        "month_shown": month_shown,
        "is_default_language": is_default_language,
    }


def _pressed(toggles: Sequence[Toggle]) -> tuple[Toggle, ...]:
    return tuple(toggle for toggle in toggles if toggle.pressed)


def _longest_bar(ratings: Sequence[Toggle]) -> int:
    """Return the highest number of comments with one rating, 0 where none is known."""
    return max(toggle.count or 0 for toggle in ratings)


class _Lists:
    """The lists that toggles lead to from a ``chosen`` one: of its product, order and search.

    What their URLs have in common is made once: a page has dozens of them.
    """

    def __init__(
        self,
        product_id: str,
        chosen: CommentFilter,
        order: CommentOrder,
        search: SearchRequest | None,
    ) -> None:
        self.chosen = chosen
        self.base_url = _base_url(product_id)
        self.query = _query(order, search)

    def url_of(self, chosen: CommentFilter) -> str:
        """Return the URL of a list."""
        # Neither languages nor ratings need any quoting.
        return f"{self.base_url}{chosen.languages_in_url}/{chosen.ratings_in_url}/{self.query}"


def _languages(
    lists: _Lists,
    counts: ProductCounts,
    numbers: MatchCounts | ValueCounts,
    *,
    is_remembered: bool,
) -> tuple[Toggle, ...]:
    """Return the toggle of all languages, and of each that the product has or that is chosen."""
    chosen = lists.chosen
    names = language_names()
    named = []
    for code in {*counts.languages, *chosen.languages}:
        named.append((names.get(code, code), code))
    url = lists.url_of(chosen.in_any_language())
    # Where it leads to what the visitor has chosen before, there is nothing to remember.
    if not is_remembered:
        url = _with_remembered_languages(url)
    any_language = Toggle(
        value=ANY,
        label=_("All languages"),
        url=url,
        pressed=not chosen.languages,
        count=numbers.in_any_language,
    )
    toggles = [any_language]
    for name, code in sorted(named):
        toggled = chosen.toggle_language(code)
        url = lists.url_of(toggled)
        if bool(toggled.languages) is is_remembered:
            url = _with_remembered_languages(url)
        toggle = Toggle(
            value=code,
            label=name,
            url=url,
            pressed=code in chosen.languages,
            count=numbers.in_language(code),
        )
        toggles.append(toggle)
    return tuple(toggles)


def _ratings(lists: _Lists, numbers: MatchCounts | ValueCounts) -> tuple[Toggle, ...]:
    """Return the toggle of all ratings, and of each, the best first."""
    chosen = lists.chosen
    any_rating = Toggle(
        value=ANY,
        label=_("All ratings"),
        url=lists.url_of(chosen.with_any_rating()),
        pressed=not chosen.ratings,
        count=numbers.with_any_rating,
    )
    toggles = [any_rating]
    for rating, name in _rating_names(get_language()):
        toggle = Toggle(
            value=str(rating),
            label=name,
            url=lists.url_of(chosen.toggle_rating(rating)),
            pressed=rating in chosen.ratings,
            count=numbers.with_rating(rating),
        )
        toggles.append(toggle)
    return tuple(toggles)


@lru_cache(maxsize=LANGUAGES_OF_SITE)
def _rating_names(_language: str | None) -> tuple[tuple[int, str], ...]:
    """Return the ratings, the best first, with their names in the active language."""
    # To look up the plurals of five ratings takes longer than all that depends on a list.
    names = []
    for rating in reversed(RATINGS):
        name = ngettext("%(rating)s star", "%(rating)s stars", rating)
        names.append((rating, name % {"rating": rating}))
    return tuple(names)


# Sentences.


def heading_of(
    chosen: CommentFilter,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
) -> str:
    """Format a list's heading, such as ``1- and 2-star comments in German, oldest first``."""
    languages = _enumerated([language_name(code) for code in chosen.languages])
    # The hyphen of the last one is in the sentence: “1- and 2” and “-star comments”.
    ratings = _enumerated([f"{rating}-" for rating in chosen.ratings]).removesuffix("-")
    heading = _heading_with_places(chosen) % {"languages": languages, "ratings": ratings}
    if search:
        parts = {"heading": heading, "words": search.search.text}
        heading = _("%(heading)s with “%(words)s”") % parts
    if order is CommentOrder.NEWEST:
        return heading
    return _("%(heading)s, %(order)s") % {"heading": heading, "order": order.spoken}


def _heading_with_places(chosen: CommentFilter) -> str:
    """Return the heading of a filter, with places for the names of its languages and ratings."""
    if chosen.languages and chosen.ratings:
        return _("%(ratings)s-star comments in %(languages)s")
    if chosen.ratings:
        return _("%(ratings)s-star comments")
    if chosen.languages:
        return _("Comments in %(languages)s")
    return _("Comments")


def _enumerated(words: Sequence[str]) -> str:
    """Format words as in a sentence, such as ``Danish, Dutch and German``."""
    if len(words) < 2:  # noqa: PLR2004 - nothing to put "and" between
        return "".join(words)
    return _("%(others)s and %(last)s") % {"others": ", ".join(words[:-1]), "last": words[-1]}


def progress_of(page: Page, order: CommentOrder, *, number: int, is_search: bool) -> str:
    """Format how far the reading of a short page came, and the ``number`` of comments it brought.

    Such as ``Searched back to March 2024; 3 so far.``
    """
    far = _reach_of(page, order, is_search=is_search)
    return _("%(far)s; %(number)s.") % {"far": far, "number": _so_far(number, is_search=is_search)}


def _reach_of(page: Page, order: CommentOrder, *, is_search: bool) -> str:
    """Format how far the reading of a short page came, such as ``Read back to March 2024``."""
    moment = reached_at(page)
    if moment is None and is_search:
        return _("Not searched to the end yet")
    if moment is None:
        return _("Not read to the end yet")
    # The previous page of a list that begins with the newest comments reads on to newer ones.
    rises = (order.direction is Order.OLDEST_FIRST) is (page.toward is Toward.NEXT)
    if is_search and rises:
        sentence = _("Searched up to %(month)s")
    elif is_search:
        sentence = _("Searched back to %(month)s")
    elif rises:
        sentence = _("Read up to %(month)s")
    else:
        sentence = _("Read back to %(month)s")
    return sentence % {"month": month_name(timestamp(moment)[: len("2026-03")])}


def _so_far(number: int, *, is_search: bool) -> str:
    if not number and is_search:
        return _("none so far")
    if not number:
        return _("no match so far")
    if is_search:
        sentence = _("%(number)s so far")
    else:
        sentence = ngettext("%(number)s match so far", "%(number)s matches so far", number)
    return sentence % {"number": grouped(number)}
