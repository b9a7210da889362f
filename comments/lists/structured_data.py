"""A product and the comments on its page in the words of schema.org, for search engines.

All of it is visible on the page, as search engines demand.
"""

from collections.abc import Sequence
from typing import Any

from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.translation import gettext as _

from comments.lists.queries import CommentEntry
from comments.store.counts import ProductCounts
from shop.catalogue.queries import Product

IN_STOCK = "https://schema.org/InStock"
Thing = dict[str, Any]


def things_on_page(
    product: Product, comments: Sequence[CommentEntry], counts: ProductCounts, *, site: str
) -> list[Thing]:
    """Return the breadcrumbs of a product's page, and its product if there is more than a name.

    Search engines want one of price, rating and reviews. ``site`` is what addresses begin with.
    """
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
    reviews = [_review(comment, site=site) for comment in comments if comment.author]
    return {**thing, "review": reviews} if reviews else thing


def _review(comment: CommentEntry, *, site: str) -> Thing:
    """Describe a comment, which has an author: search engines want one."""
    texts = {"name": comment.title, "reviewBody": comment.text}
    return {
        "@type": "Review",
        "url": f"{site}{comment.url}",
        "author": {"@type": "Person", "name": comment.author},
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
    steps = [(_("Shop"), reverse("home")), *((step.name, step.url) for step in product.trail)]
    steps.append((product.name, product.url))
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name, "item": f"{site}{url}"}
            for number, (name, url) in enumerate(steps, 1)
        ],
    }
