"""Imports of products, each with one category: a path such as “Kitchen > Pans” makes what lacks.

What a row does not tell stays as it is stored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dynapages.django.options import Progress
from dynapages.files.columns import BadMapping
from dynapages.files.identifiers import LONGEST_ID, identifier_of
from dynapages.files.records import RowRefused, short_text
from dynapages.files.rejects import RejectsFile
from dynapages.process import pool
from shop.catalogue.content import DEEPEST, BrokenTree, NewCategory, NewProduct
from shop.catalogue.editing import settle_product
from shop.catalogue.services import EVERYTHING_ELSE, put_catalogue
from shop.catalogue.shelves import put_shelves
from shop.catalogue.stored import Stored, stored_categories, stored_products
from shop.data.fields import LONGEST_TEXT, cents, currency
from shop.data.points import PlainFile, Texts
from shop.data.survey import category_named

FIELDS = ("id", "name", "description", "price", "currency", "category", "external_id")
OPTIONAL = FIELDS[2:]
PRESETS = {
    "google": "name=title,category=product_type|google_product_category,external_id=gtin|mpn"
}
"""The columns of known files, as ``--columns`` spells them."""
LONGEST_DESCRIPTION = 5_000


@dataclass(frozen=True, slots=True)
class ProductRow:
    """What a row tells of a product, by fields of `NewProduct`, and its category's ``path``."""

    id: str
    told: Mapping[str, Any]
    path: Sequence[NewCategory] = ()

    def over(self, stored: Stored[NewProduct] | None) -> NewProduct:
        """Return the product as it is to be stored."""
        new = NewProduct(self.id, "", (EVERYTHING_ELSE.slug,))
        before = stored.content if stored else new
        return replace(before, **self.told).keep_priced_at(before)


def product_row(
    texts: Texts, *, constants: Mapping[str, str], decimal: str | None = None
) -> ProductRow:
    """Parse the texts of a row; the price may have its currency behind it. Raises RowRefused."""
    given = {**constants, **{name: text for name, text in texts.items() if text}}
    for name in FIELDS[:2]:
        if name not in given:
            raise RowRefused(f"{name} is missing")
    product_id = identifier_of(short_text("id", given["id"], LONGEST_TEXT))
    told: dict[str, Any] = {"name": " ".join(short_text("name", given["name"], 300).split())}
    if product_id != given["id"]:
        told["external_id"] = given["id"]
    for name, longest in (("description", LONGEST_DESCRIPTION), ("external_id", LONGEST_TEXT)):
        if name in given:
            told[name] = short_text(name, given[name], longest)
    if "price" in given:
        amount, _, code = given["price"].rpartition(" ")
        given |= {"price": amount, "currency": code} if amount and code.isalpha() else {}
        told["unit_price_cents"] = cents(given, "price", decimal)
        told["currency"] = currency(given)
    path = _path(given.get("category", ""))
    if path:
        told["category_slugs"] = (path[-1].slug,)
    return ProductRow(product_id, told, path)


def _path(text: str) -> list[NewCategory]:
    path: list[NewCategory] = []
    for step in filter(None, map(str.strip, text.split(">"))):
        parent = path[-1].slug if path else None
        slug = category_named(step).slug
        path.append(NewCategory(f"{parent}.{slug}" if parent else slug, step, parent))
    if len(path) > DEEPEST or (path and len(path[-1].slug) > LONGEST_ID):
        raise RowRefused(f"category is deeper than {DEEPEST}, or its names are too long")
    return path


def import_products(
    source: PlainFile[ProductRow], *, rejects: RejectsFile, progress: Progress
) -> dict[str, Any]:
    """Write the products of a file; return the figures. Raises like `PlainFile.write`."""
    outcomes: Counter[str] = Counter(new=0, changed=0, unchanged=0)

    def put(rows: Sequence[ProductRow]) -> None:
        stored = stored_products((row.id for row in rows), is_whole=True)
        changed = [
            row for row in rows if not (one := stored.get(row.id)) or row.over(one) != one.content
        ]
        outcomes.update("changed" if row.id in stored else "new" for row in changed)
        outcomes["unchanged"] += len(rows) - len(changed)
        _put_categories([EVERYTHING_ELSE, *(step for row in changed for step in row.path)])
        calls = [partial(settle_product, row.id, row.over, may_be_new=True) for row in changed]
        put_shelves({slug for slugs in pool().gather(calls) for slug in slugs})

    figures = source.write(put, id_of=lambda row: row.id, rejects=rejects, progress=progress)
    return {**figures, "products": dict(outcomes)}


def _put_categories(wanted: Sequence[NewCategory]) -> None:
    """Put categories that are missing; stored ones keep their names and places."""
    stored = stored_categories(category.slug for category in wanted)
    if missing := {each.slug: each for each in wanted if each.slug not in stored}:
        try:
            put_catalogue(categories=list((missing | stored).values()), products=[])
        except BrokenTree as error:
            raise BadMapping(f"{error}: the rows up to there are written.") from error
