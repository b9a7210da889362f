"""A product and its comments as schema.org's things, for search engines.

`things_on_page` describes them, `json_ld` writes them into a page.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from comments.host import Product
from comments.lists.entries import CommentEntry
from comments.store.counts import ProductCounts
from dynapages.django.paging import rounded

IN_STOCK = "https://schema.org/InStock"
_ESCAPES = (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"))
"""Without these signs no text ends the element, or begins a comment in it."""
_JSON = json.JSONEncoder(ensure_ascii=False)

Thing = dict[str, Any]


def things_on_page(
    product: Product, comments: Sequence[CommentEntry], counts: ProductCounts, *, site: str
) -> list[Thing]:
    """Return the breadcrumbs of a product's page, and its product if there is more than a name."""
    breadcrumbs = _breadcrumbs(product, site=site)
    product_thing = _product(product, comments, counts, site=site)
    # Search engines report a product with neither as an error.
    if "offers" in product_thing or "aggregateRating" in product_thing:
        return [product_thing, breadcrumbs]
    return [breadcrumbs]


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
    average = counts.average_rating
    if average is not None:
        thing["aggregateRating"] = {
            "@type": "AggregateRating",
            # A number for machines: with a point in all languages.
            "ratingValue": f"{rounded(average, 1):.1f}",
            "reviewCount": counts.total,
            "bestRating": 5,
            "worstRating": 1,
        }
    reviews = []
    for comment in comments:
        # A review without an author is reported as an error too.
        if comment.author_name:
            reviews.append(_review(comment, site=site))
    if reviews:
        thing["review"] = reviews
    return thing


def _review(comment: CommentEntry, *, site: str) -> Thing:
    """Describe a comment, which has an author: search engines want one."""
    review: Thing = {
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
    }
    if comment.title:
        review["name"] = comment.title
    if comment.text:
        review["reviewBody"] = comment.text
    return review


def _breadcrumbs(product: Product, *, site: str) -> Thing:
    steps = [(_("Shop"), "/")]
    for step_above in product.trail:
        steps.append((step_above.name, step_above.url))
    steps.append((product.name, product.url))
    items = []
    for number, (name, url) in enumerate(steps, 1):
        step = {"@type": "ListItem", "position": number, "name": name, "item": f"{site}{url}"}
        items.append(step)
    return {"@type": "BreadcrumbList", "itemListElement": items}


def json_ld(data: Mapping[str, Any]) -> SafeString:
    """Write things of schema.org as a script element, which is safe in HTML."""
    text = _JSON.encode({"@context": "https://schema.org", **data})
    # `str.translate` looks up each character of the page: forty times as long.
    for sign, escape in _ESCAPES:
        text = text.replace(sign, escape)
    return SafeString(f'<script type="application/ld+json">{text}</script>')
