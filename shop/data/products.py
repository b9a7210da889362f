"""Imports of products with their categories: a path such as “Kitchen > Pans” makes missing ones.

What a row does not say stays as it is stored.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dynapages.django.options import Progress
from dynapages.files.columns import BadMapping
from dynapages.files.identifiers import LONGEST_ID, identifier_of
from dynapages.files.records import RowRefused, short_text
from dynapages.files.rejects import RejectsFile
from dynapages.process import pool
from shop.catalogue.content import DEEPEST, BrokenTree, NewCategory, NewProduct
from shop.catalogue.editing import MOST_CATEGORIES, settle_product
from shop.catalogue.services import EVERYTHING_ELSE, put_catalogue
from shop.catalogue.shelves import put_shelves
from shop.catalogue.stored import Stored, stored_categories, stored_products
from shop.data.amounts import Amounts, BadNumber, price_parts
from shop.data.currencies import currencies_of
from shop.data.fields import LONGEST_TEXT, cents, currency, without_html
from shop.data.imported_products import category_named
from shop.data.plain_files import PlainFile, Texts

FIELDS = (
    *("id", "name", "description", "price", "currency", "category", "category_path"),
    "external_id",
)
REQUIRED = ("id", "name")
OPTIONAL = tuple(name for name in FIELDS if name not in REQUIRED)
TEXTS = ("name", "description", "category", "category_path")
"""The fields that may be HTML."""
LONGEST_DESCRIPTION = 5_000
LONGEST_PRODUCT_NAME = 300
_COMMA = re.compile(r"(?<!\\),")
"""Between categories."""


@dataclass(frozen=True, slots=True)
class ProductRow:
    """What a row says of a product: values by fields of `NewProduct`, and its categories.

    Each of ``paths`` leads to one of these from the uppermost. Fields that the row leaves empty are
    missing in ``values``.
    """

    id: str
    values: Mapping[str, Any]
    paths: Sequence[Sequence[NewCategory]] = ()

    def over(self, stored: Stored[NewProduct] | None) -> NewProduct:
        """Return the product as it is to be stored."""
        if stored is None:
            before = NewProduct(self.id, "", (EVERYTHING_ELSE.slug,))
        else:
            before = stored.content
        return replace(before, **self.values).keep_priced_at(before)


@dataclass(slots=True)
class ProductReader:
    """Makes products of the texts of rows, and counts those whose HTML became text.

    ``constants`` are the values of fields where a row has none.
    """

    constants: Mapping[str, str]
    amounts: Amounts
    keep_html: bool = False
    html_rows: int = 0

    def read(self, texts: Texts) -> ProductRow:
        """Parse the texts of a row, whose price may have its currency beside it.

        Raises RowRefused.
        """
        own = {name: text for name, text in texts.items() if text}
        if not self.keep_html:
            plain = without_html(own, TEXTS)
            self.html_rows += plain != own
            own = plain
        given = {**self.constants, **own}
        for name in REQUIRED:
            if name not in given:
                raise RowRefused(f"{name} is missing")
        product_id = identifier_of(short_text("id", given["id"], LONGEST_TEXT))
        product_name = short_text("name", given["name"], LONGEST_PRODUCT_NAME)
        values: dict[str, Any] = {"name": " ".join(product_name.split())}
        if product_id != given["id"]:
            values["external_id"] = given["id"]
        for name, longest in (("description", LONGEST_DESCRIPTION), ("external_id", LONGEST_TEXT)):
            if name in given:
                values[name] = short_text(name, given[name], longest)
        if "price" in given:
            values |= _price(given, self.amounts)
        paths = _paths(own) or _paths(self.constants)
        if paths:
            values["category_slugs"] = tuple(sorted(path[-1].slug for path in paths))
        return ProductRow(product_id, values, paths)


def _price(given: Mapping[str, str], amounts: Amounts) -> dict[str, Any]:
    """Return the price of a row and its currency, which may be beside the price or by itself."""
    price = given["price"]
    try:
        number, words = price_parts(price)
    except BadNumber as error:
        raise RowRefused(f"price: {error}") from error
    code = _currency_of(given, words)
    unit_price_cents = cents({"price": number, "currency": code}, "price", amounts)
    return {"unit_price_cents": unit_price_cents, "currency": code}


def _currency_of(given: Mapping[str, str], words: Iterable[str]) -> str:
    """Return the currency of a row, which the words beside its price must not contradict."""
    shown = given["price"][:40]
    possible: frozenset[str] | None = None
    for word in words:
        codes = currencies_of(word)
        if not codes:
            raise RowRefused(
                f"price: “{word[:20]}” is no sign of a currency, and no code such as EUR"
            )
        possible = codes if possible is None else possible & codes
    if "currency" in given:
        code = currency(given)
        if possible is not None and code not in possible:
            raise RowRefused(f"currency is {code}, but the price “{shown}” has another")
        return code
    if possible is None:
        raise RowRefused("currency is missing: give it a column, or --set currency=EUR")
    if not possible:
        raise RowRefused(f"price: “{shown}” has two currencies")
    if len(possible) > 1:
        raise RowRefused(
            f"currency is missing: the sign in “{shown}” has several, so give it a "
            "column, or --set currency=USD"
        )
    (only_code,) = possible
    return only_code


def _paths(texts: Mapping[str, str]) -> list[list[NewCategory]]:
    """Return the path to each category of a row, the uppermost first; each category once."""
    by_slug: dict[str, list[NewCategory]] = {}
    for text in _texts_of_paths(texts):
        path = _path(text)
        if path:
            by_slug.setdefault(path[-1].slug, path)
    if len(by_slug) > MOST_CATEGORIES:
        raise RowRefused(f"category has {len(by_slug)} categories, more than {MOST_CATEGORIES}")
    return list(by_slug.values())


def _texts_of_paths(texts: Mapping[str, str]) -> list[str]:
    """Return the texts of paths: those of a list, or else the one with commas in its names."""
    if "category" not in texts:
        return [texts.get("category_path", "")]
    parts: list[str] = []
    for part in _COMMA.split(texts["category"]):
        # WooCommerce writes a comma within a name so.
        parts.append(part.replace("\\,", ","))
    return parts


def _path(text: str) -> list[NewCategory]:
    """Return the categories of a path such as “Kitchen > Pans”, the uppermost first."""
    path: list[NewCategory] = []
    for step in text.split(">"):
        name = " ".join(step.split())
        if not name:
            continue
        slug = category_named(name).slug
        if path:
            parent = path[-1].slug
            path.append(NewCategory(f"{parent}.{slug}", name, parent))
        else:
            path.append(NewCategory(slug, name))
    if len(path) > DEEPEST or (path and len(path[-1].slug) > LONGEST_ID):
        raise RowRefused(f"category is deeper than {DEEPEST}, or its names are too long")
    return path


def import_products(
    source: PlainFile[ProductRow],
    reader: ProductReader,
    *,
    rejects: RejectsFile,
    progress: Progress,
) -> dict[str, Any]:
    """Write the products of a file, which the ``reader`` builds; return the figures.

    Raises like `PlainFile.write`.
    """
    outcomes: Counter[str] = Counter(new=0, changed=0, unchanged=0)
    found: dict[str, Any] = {}

    def put(rows: Sequence[ProductRow]) -> None:
        outcomes.update(_put_rows(rows))

    def note_what_was_found() -> None:
        hint = reader.amounts.hint
        if hint and not source.is_trial:
            progress.say(hint)
        found["rounded_amounts"] = reader.amounts.rounded
        found["html_rows"] = reader.html_rows
        found["hint"] = hint or None

    figures = source.write(
        put,
        id_of=_id_of,
        rejects=rejects,
        progress=progress,
        when_checked=note_what_was_found,
    )
    return {**figures, **found, "products": dict(outcomes)}


def _id_of(row: ProductRow) -> str:
    return row.id


def _put_rows(rows: Sequence[ProductRow]) -> Counter[str]:
    """Write the products of rows that differ from what is stored; return how many there were."""
    stored_by_id = stored_products((row.id for row in rows), is_whole=True)
    outcomes: Counter[str] = Counter()
    changed: list[ProductRow] = []
    categories = [EVERYTHING_ELSE]
    for row in rows:
        stored = stored_by_id.get(row.id)
        if stored is not None and row.over(stored) == stored.content:
            outcomes["unchanged"] += 1
            continue
        outcomes["new" if stored is None else "changed"] += 1
        changed.append(row)
        for path in row.paths:
            categories += path
    # Categories before the products that need them.
    _put_categories(categories)

    def settle(row: ProductRow) -> set[str]:
        return settle_product(row.id, row.over, may_be_new=True)

    shelves: set[str] = set()
    for slugs in pool().map(settle, changed):
        shelves.update(slugs)
    put_shelves(shelves)
    return outcomes


def _put_categories(categories: Sequence[NewCategory]) -> None:
    """Put categories that are missing; stored ones keep their names and places."""
    stored = stored_categories(category.slug for category in categories)
    missing: dict[str, NewCategory] = {}
    for category in categories:
        if category.slug not in stored:
            missing[category.slug] = category
    if not missing:
        return
    try:
        put_catalogue(categories=list((missing | stored).values()), products=[])
    except BrokenTree as error:
        raise BadMapping(f"{error}: the rows up to there are written.") from error
