"""A list of comments as its page shows it, as a feed, and as schema.org's things."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urljoin

from django.template.defaultfilters import floatformat
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from comments.filters import ANY, RATINGS, CommentFilter, language_name
from comments.host import COMMENTS, Product
from comments.lists.entries import CommentEntry
from comments.lists.orders import CommentOrder, month_name, month_options, order_options
from comments.lists.queries import CommentPage, reached_at
from comments.lists.search_listing import MatchCounts, match_counts
from comments.lists.search_queries import SearchRequest
from comments.store.counts import Cell, ProductCounts
from dynapages.django.formats import AtomEntry, AtomFeed
from dynapages.django.paging import Pager, Toggle, address_of, grouped
from dynapages.lists import Order, Page, Toward, timestamp

UrlOf = Callable[[CommentFilter], str]
REMEMBER = "remember"
"""The parameter of a link to a list whose choice of languages is remembered."""
CHOICES = 200
"""Lists whose filters and months are kept, at some 10 kB each."""


def list_url(
    product_id: str,
    chosen: CommentFilter,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
) -> str:
    """Return the canonical URL of a list."""
    return _narrowed(_base_url(product_id), _query(order, search), chosen)


def pager_of(
    product_id: str,
    chosen: CommentFilter,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
) -> Pager:
    """Return the pager of a list; to search engines, that of all comments is the product's page."""
    name = f"comments/{product_id}/{chosen.languages_spelled}/{chosen.ratings_spelled}"
    is_whole = not chosen.narrowed and order is CommentOrder.NEWEST and not search
    return Pager(
        first_url=list_url(product_id, chosen, order, search),
        list_name=name + _query(order, search),
        canonical=address_of("comments:product", product_id) if is_whole else "",
        shape={
            "languages": len(chosen.languages),
            "ratings": len(chosen.ratings),
            "order": order.value,
            **({"search": 1} if search else {}),
        },
    )


def listing_of(
    product_id: str,
    chosen: CommentFilter,
    found: CommentPage,
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
    comments, counts = found.comments, found.counts
    # In a list that is read in groups of languages, only the first group would begin at a month.
    months = {} if found.sections else counts.months
    choices = _choices(
        product_id,
        chosen,
        order,
        search=search,
        matches=match_counts(found, chosen) if search else None,
        cells=frozenset(counts.cells.items()),
        months=frozenset(months.items()),
        is_remembered=is_remembered,
        language=get_language(),
    )
    return {
        **choices,
        "comments": comments,
        "month_shown": comments[0].created_iso[:7] if comments else "",
        "is_default_language": is_default_language,
    }


@lru_cache(maxsize=CHOICES)
def _choices(  # noqa: PLR0913 - all that it depends on, each a keyword
    product_id: str,
    chosen: CommentFilter,
    order: CommentOrder,
    *,
    search: SearchRequest | None,
    matches: MatchCounts | None,
    cells: frozenset[tuple[Cell, int]],
    months: frozenset[tuple[str, int]],
    is_remembered: bool,
    language: str | None,
) -> Mapping[str, Any]:
    """Return what of `listing_of` is the same for all pages of a list."""
    del language  # the words are in the one that is active
    counts, base_url = ProductCounts(dict(cells), dict(months)), _base_url(product_id)
    query = _query(order, search)
    url_of = partial(_narrowed, base_url, query)
    languages = _language_toggles(chosen, counts, url_of, is_remembered=is_remembered)
    ratings = _rating_toggles(chosen, counts, url_of)
    in_any_language, with_any_rating = chosen.in_any_language(), chosen.with_any_rating()
    all_languages: int | None = counts.of(in_any_language)
    all_ratings: int | None = counts.of(with_any_rating)
    if matches:
        languages = tuple(
            replace(toggle, count=matches.in_language(toggle.value)) for toggle in languages
        )
        ratings = tuple(
            replace(toggle, count=matches.with_rating(int(toggle.value))) for toggle in ratings
        )
        all_languages, all_ratings = matches.in_any_language, matches.with_any_rating
    return {
        "address": f"{base_url}{{language}}/{{rating}}/{query}",
        "all_url": url_of(CommentFilter()) if chosen.narrowed else "",
        "heading": heading_of(chosen, order, search),
        "order": order,
        "orders": order_options(by_time=bool(search)),
        "search_off_url": list_url(product_id, chosen, order) if search else "",
        "is_searchable": COMMENTS["SEARCH"],
        "all_languages": Toggle(
            value="~",
            label=_("All languages"),
            url=url_of(in_any_language) if is_remembered else _remembered(url_of(in_any_language)),
            pressed=not chosen.languages,
            count=all_languages,
        ),
        "languages": languages,
        "without_languages": matches.without_languages if matches else "",
        "all_ratings": Toggle(
            value="~",
            label=_("All ratings"),
            url=url_of(with_any_rating),
            pressed=not chosen.ratings,
            count=all_ratings,
        ),
        "ratings": ratings,
        "without_ratings": matches.without_ratings if matches else "",
        "longest_bar": max(toggle.count or 0 for toggle in ratings),
        "chosen": tuple(toggle for toggle in languages + ratings if toggle.pressed),
        "is_in_one_language": len(chosen.languages) == 1,
        "months": month_options(counts, order, with_counts=not (chosen.narrowed or search)),
        "url": list_url(product_id, chosen),
        "average_rating": counts.average_rating,
        "comments_of_product": counts.total,
    }


def comments_feed(
    heading: str, comments: Sequence[CommentEntry], about: Mapping[str, str] | None = None
) -> AtomFeed:
    """Return comments as a feed; ``about`` names their products by id, where they are of several.

    One without words is in the feed's language, the others are in their own.
    """
    entries = []
    for comment in comments:
        name = about[comment.product_id] if about else ""
        title = f"{comment.stars} {comment.title}".strip()
        entry = AtomEntry(
            path=comment.url,
            title=f"{title} · {name}" if name else title,
            published=comment.created,
            updated=comment.edited,
            text=comment.text or comment.title or _("No words, only stars."),
            author=comment.author_name,
            language=comment.language if comment.text or comment.title else "",
        )
        entries.append(entry)
    return AtomFeed(title=heading, entries=entries)


def _base_url(product_id: str) -> str:
    # What follows needs no quoting.
    return address_of("comments:list", product_id, ANY, ANY).removesuffix(f"{ANY}/{ANY}/")


def _query(order: CommentOrder, search: SearchRequest | None) -> str:
    return order.query + f"{'&' if order.query else '?'}{search.query}" if search else order.query


def _narrowed(base_url: str, query: str, chosen: CommentFilter) -> str:
    return f"{base_url}{chosen.languages_spelled}/{chosen.ratings_spelled}/{query}"


def _remembered(url: str) -> str:
    """Return the URL of a list whose languages are remembered (see `comments.views`)."""
    return f"{url}{'&' if '?' in url else '?'}{REMEMBER}=languages"


def _language_toggles(
    chosen: CommentFilter, counts: ProductCounts, url_of: UrlOf, *, is_remembered: bool
) -> tuple[Toggle, ...]:
    def url(code: str) -> str:
        toggled = chosen.toggle_language(code)
        is_news = bool(toggled.languages) is is_remembered
        return _remembered(url_of(toggled)) if is_news else url_of(toggled)

    return tuple(
        Toggle(
            value=code,
            label=language_name(code),
            url=url(code),
            pressed=code in chosen.languages,
            count=counts.within([code], chosen.ratings or RATINGS),
        )
        for code in sorted({*counts.languages, *chosen.languages}, key=language_name)
    )


def _rating_toggles(
    chosen: CommentFilter, counts: ProductCounts, url_of: UrlOf
) -> tuple[Toggle, ...]:
    languages = chosen.languages or counts.languages
    return tuple(
        Toggle(
            value=str(rating),
            label=ngettext("%(rating)s star", "%(rating)s stars", rating) % {"rating": rating},
            url=url_of(chosen.toggle_rating(rating)),
            pressed=rating in chosen.ratings,
            count=counts.within(languages, [rating]),
        )
        for rating in reversed(RATINGS)
    )


def heading_of(
    chosen: CommentFilter,
    order: CommentOrder = CommentOrder.NEWEST,
    search: SearchRequest | None = None,
) -> str:
    """Format a list's heading, such as ``1- and 2-star comments in German, oldest first``."""
    words = {
        "languages": _listed([language_name(code) for code in chosen.languages]),
        "ratings": _listed([f"{one}-" for one in chosen.ratings]).removesuffix("-"),
    }
    heading = _sentence(chosen) % words
    if search:
        found = {"heading": heading, "words": search.search.text}
        heading = _("%(heading)s with “%(words)s”") % found
    if order is CommentOrder.NEWEST:
        return heading
    return _("%(heading)s, %(order)s") % {"heading": heading, "order": order.spoken}


def _sentence(chosen: CommentFilter) -> str:
    if chosen.languages and chosen.ratings:
        return _("%(ratings)s-star comments in %(languages)s")
    if chosen.ratings:
        return _("%(ratings)s-star comments")
    return _("Comments in %(languages)s") if chosen.languages else _("Comments")


def _listed(words: Sequence[str]) -> str:
    *others, last = words or [""]
    if not others:
        return last
    return _("%(others)s and %(last)s") % {"others": ", ".join(others), "last": last}


def progress_of(page: Page, order: CommentOrder, *, number: int, is_search: bool) -> str:
    """Format how far the reading of a short page came, and the ``number`` of comments it brought.

    Such as ``Searched back to March 2024; 3 so far.``
    """
    rises = (order.direction is Order.OLDEST_FIRST) is (page.toward is Toward.NEXT)
    moment = reached_at(page)
    if moment is None:
        far = _("Not searched to the end yet") if is_search else _("Not read to the end yet")
    elif is_search:
        far = _("Searched up to %(month)s") if rises else _("Searched back to %(month)s")
    else:
        far = _("Read up to %(month)s") if rises else _("Read back to %(month)s")
    if moment is not None:
        far %= {"month": month_name(timestamp(moment)[: len("2026-03")])}
    return _("%(far)s; %(number)s.") % {"far": far, "number": _so_far(number, is_search=is_search)}


def _so_far(number: int, *, is_search: bool) -> str:
    if not number:
        return _("none so far") if is_search else _("no match so far")
    if is_search:
        sentence = _("%(number)s so far")
    else:
        sentence = ngettext("%(number)s match so far", "%(number)s matches so far", number)
    return sentence % {"number": grouped(number)}


IN_STOCK = "https://schema.org/InStock"
Thing = dict[str, Any]


def things_on_page(
    product: Product, comments: Sequence[CommentEntry], counts: ProductCounts, *, site: str
) -> list[Thing]:
    """Return the breadcrumbs of a product's page, and its product if there is more than a name."""
    product_thing = _product(product, comments, counts, site=site)
    is_enough = {"offers", "aggregateRating"} & product_thing.keys()
    return [*([product_thing] if is_enough else ()), _breadcrumbs(product, site=site)]


def _product(
    product: Product, comments: Sequence[CommentEntry], counts: ProductCounts, *, site: str
) -> Thing:
    thing: Thing = {
        "@type": "Product",
        "productID": product.id,
        "name": product.name,
        "url": f"{site}{product.url}",
    }
    if product.image:
        thing["image"] = urljoin(site, product.image)
    if product.description:
        thing["description"] = product.description
    if product.unit_price is not None:
        thing["offers"] = {
            "@type": "Offer",
            "url": f"{site}{product.url}",
            "price": str(product.unit_price),
            "priceCurrency": product.currency,
            "availability": IN_STOCK,
        }
    if counts.average_rating is not None:
        thing["aggregateRating"] = {
            "@type": "AggregateRating",
            "ratingValue": floatformat(counts.average_rating, 1),
            "reviewCount": counts.total,
            "bestRating": 5,
            "worstRating": 1,
        }
    reviews = [_review(comment, site=site) for comment in comments if comment.author_name]
    return {**thing, "review": reviews} if reviews else thing


def _review(comment: CommentEntry, *, site: str) -> Thing:
    """Describe a comment, which has an author: search engines want one."""
    texts = {"name": comment.title, "reviewBody": comment.text}
    return {
        "@type": "Review",
        "url": f"{site}{comment.url}",
        "author": {"@type": "Person", "name": comment.author_name},
        "datePublished": comment.created_iso,
        "inLanguage": comment.language,
        "reviewRating": {
            "@type": "Rating",
            "ratingValue": comment.rating,
            "bestRating": 5,
            "worstRating": 1,
        },
        **{name: text for name, text in texts.items() if text},
    }


def _breadcrumbs(product: Product, *, site: str) -> Thing:
    steps = [(_("Shop"), "/"), *((step.name, step.url) for step in product.trail)]
    steps.append((product.name, product.url))
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name, "item": f"{site}{url}"}
            for number, (name, url) in enumerate(steps, 1)
        ],
    }


_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Without these signs no text ends the element, or begins a comment in it."""


def json_ld(data: Mapping[str, Any]) -> SafeString:
    """Return the element, for what schema.org has words for."""
    spelled = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False)
    element = f'<script type="application/ld+json">{spelled.translate(_ESCAPES)}</script>'
    return SafeString(element)
