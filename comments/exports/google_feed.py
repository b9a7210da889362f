"""Google's feed of product reviews, schema 2.4, as ``import_comments --preset google`` reads it.

See https://developers.google.com/product-review-feeds/schema.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from django.urls import reverse

from comments.imports.shape import FIELDS
from dynamo.files.exports import Layout, Row
from shop.catalogue.services import shown, stored_products

GOOGLE = "google-xml"
_SCHEMA = "http://www.google.com/shopping/reviews/schema/product/2.4/product_reviews.xsd"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot hold."""
_ANONYMOUS = "Anonymous"


@dataclass(frozen=True, slots=True)
class GoogleFeed(Layout):
    """The feed of the shop ``publisher``, whose pages are below the URL ``site``."""

    format: str = GOOGLE
    columns: tuple[str, ...] = FIELDS
    publisher: str = ""
    site: str = ""
    _names: dict[str, str] = field(default_factory=dict, compare=False)

    def header(self) -> str:
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<feed xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\n'
            f'      xsi:noNamespaceSchemaLocation="{_SCHEMA}">\n'
            f"<version>2.4</version>\n"
            f"<publisher>{_element('name', self.publisher)}</publisher>\n"
            f"<reviews>\n"
        )

    def text(self, rows: Iterable[Row]) -> str:
        rows = list(rows)
        found = stored_products({str(row["product_id"]) for row in rows} - self._names.keys())
        self._names.update({product_id: shown(item)[0] for product_id, item in found.items()})
        return "".join(map(self._review, rows))

    def footer(self) -> str:
        return "</reviews>\n</feed>\n"

    def _review(self, row: Row) -> str:
        product_id, comment_id = str(row["product_id"]), str(row["id"])
        author = str(row.get("author", ""))
        anonymous = "false" if author else "true"
        url = self.site + reverse("comment", args=[comment_id])
        product_url = self.site + reverse("product", args=[product_id])
        return "".join(
            [
                "<review>",
                _element("review_id", comment_id),
                f'<reviewer><name is_anonymous="{anonymous}">{_text(author or _ANONYMOUS)}</name>',
                "</reviewer>",
                _element("is_verified_purchase", str(row["verified"])) if "verified" in row else "",
                _element("review_timestamp", str(row["created_at"])),
                _element("title", str(row["title"])) if "title" in row else "",
                _element("content", str(row.get("body", ""))),
                _element("review_language", str(row["language"])),
                f'<review_url type="singleton">{_text(url)}</review_url>',
                f'<ratings><overall min="1" max="5">{row["rating"]}</overall></ratings>',
                "<products><product>",
                f"<product_ids><skus>{_element('sku', product_id)}</skus></product_ids>",
                _element("product_name", self._names.get(product_id, product_id)),
                _element("product_url", product_url),
                "</product></products></review>\n",
            ]
        )


def _element(name: str, text: str) -> str:
    return f"<{name}>{_text(text)}</{name}>"


def _text(text: str) -> str:
    # A carriage return that is not spelled out is read as a line feed.
    return escape(_FORBIDDEN.sub("", text), {"\r": "&#13;"})
