"""The products that an import of orders brings: created, or changed as far as that is asked for."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from django.utils.text import slugify

from dynapages.files.identifiers import identifier_of
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import EVERYTHING_ELSE, put_catalogue
from shop.catalogue.stored import Stored, stored_categories, stored_products
from shop.catalogue.tiles import CATEGORIES, steps_in
from shop.data.orders import ImportedOrder
from shop.orders.items import NewLine, NewOrder


class Update(Enum):
    """Which stored products an import may change."""

    NONE = "none"
    IMPORTED = "those that an import priced"
    ALL = "also those that the shop put itself"


class Outcome(Enum):
    """What became of a product."""

    CREATED = "created"
    UPDATED = "updated"
    LEFT = "left as it is"


@dataclass(frozen=True, slots=True)
class ImportedProduct:
    """A product as files tell of it, with its price in the latest order and when that was placed.

    Unless it ``is_named``, the name is for a new one only; without a price it was never ordered.
    """

    id: str
    name: str
    is_named: bool
    category: NewCategory | None
    price_cents: int | None = None
    currency: str | None = None
    priced_at: datetime | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Products that a file of products lists, by id, and what it tells of any product."""

    product_ids: Collection[str]
    describe: Callable[[str], ImportedProduct]


def category_named(name: str) -> NewCategory:
    """Build the category of a name."""
    return NewCategory(slug=slugify(name) or identifier_of(name).lower(), name=name)


def products_of_orders(
    orders: Iterable[ImportedOrder], catalogue: Catalogue, originals: Mapping[str, str]
) -> list[ImportedProduct]:
    """Return the products of a catalogue and of orders, with their prices in the latest order.

    ``orders`` are sorted by time; ``originals`` are the ids elsewhere of products whose id could
    not be kept.
    """
    latest: dict[str, tuple[NewLine, NewOrder]] = {}
    for imported in orders:
        for line in imported.order.lines:
            latest[line.product_id] = (line, imported.order)
    products: list[ImportedProduct] = []
    for product_id in sorted({*latest, *catalogue.product_ids}):
        product = replace(catalogue.describe(product_id), external_id=originals.get(product_id))
        if product_id in latest:
            line, order = latest[product_id]
            product = replace(
                product,
                price_cents=line.unit_price_cents,
                currency=order.currency,
                priced_at=order.placed_at,
            )
        products.append(product)
    return products


def catalogue_of_lines(orders: Iterable[ImportedOrder]) -> Catalogue:
    """Return what the lines of orders tell of products; a later order's name and category win."""
    products: dict[str, ImportedProduct] = {}
    for imported in orders:
        for line in imported.lines:
            name = line.listed_as or line.name
            before = products.get(line.product_id)
            if before is None:
                before = ImportedProduct(
                    line.product_id, line.id_in_file, is_named=False, category=None
                )
            category = category_named(line.category) if line.category else before.category
            products[line.product_id] = ImportedProduct(
                line.product_id, name or before.name, bool(name) or before.is_named, category
            )
    return Catalogue((), products.__getitem__)


def put_products(products: Sequence[ImportedProduct], update: Update) -> Counter[Outcome]:
    """Put products of one category, and count their outcomes. Repeatable.

    Stored categories keep their names and parents. Raises like `put_catalogue`.
    """
    stored_by_id = stored_products(product.id for product in products)
    outcomes: Counter[Outcome] = Counter()
    by_categories: dict[tuple[NewCategory, ...], list[NewProduct]] = {}
    for product in products:
        stored = stored_by_id.get(product.id)
        categories, new = _created(product)
        is_put = True
        if stored is None:
            outcomes[Outcome.CREATED] += 1
        elif _may_change(product, stored, update):
            outcomes[Outcome.UPDATED] += 1
            categories, new = _updated(product, stored)
        else:
            outcomes[Outcome.LEFT] += 1
            # One that is shown alike is put again: an interrupted import may have left it half.
            new = replace(new, priced_at=stored.content.priced_at)
            is_put = new.shown == stored.content.shown
        if is_put:
            by_categories.setdefault(categories, []).append(new)
    for categories, some in by_categories.items():
        _put(categories, some)
    return outcomes


def _put(categories: Iterable[NewCategory], products: Sequence[NewProduct]) -> None:
    by_slug = {category.slug: category for category in categories}
    # As they are stored, with those above them; new ones are in the root.
    by_slug |= stored_categories(by_slug)
    put_catalogue(categories=list(by_slug.values()), products=products)


def _may_change(product: ImportedProduct, stored: Stored[NewProduct], update: Update) -> bool:
    """Return whether an import may change a stored product: only by a later price."""
    if product.priced_at is None:
        return False
    stored_at = stored.content.priced_at
    if stored_at is None:  # the shop put it itself
        return update is Update.ALL
    return update is not Update.NONE and product.priced_at > stored_at


def _created(product: ImportedProduct) -> tuple[tuple[NewCategory, ...], NewProduct]:
    """Return the categories of a product that is not stored yet, and the product."""
    categories = (product.category or EVERYTHING_ELSE,)
    return categories, _new_product(product, categories)


def _updated(
    product: ImportedProduct, stored: Stored[NewProduct]
) -> tuple[tuple[NewCategory, ...], NewProduct]:
    """Return the categories of a stored product, and the product as the files tell of it."""
    if product.category is not None:
        categories: tuple[NewCategory, ...] = (product.category,)
    else:
        steps = steps_in(stored.node, CATEGORIES)
        categories = tuple(NewCategory(step.slug, step.name) for step in steps)
    new = _new_product(product, categories)
    # A name that only follows from an id is worse than any that the shop has.
    if not product.is_named:
        new = replace(new, name=stored.content.name)
    return categories, new


def _new_product(product: ImportedProduct, categories: Iterable[NewCategory]) -> NewProduct:
    """Build the product that the catalogue stores for an imported one."""
    return NewProduct(
        id=product.id,
        name=product.name,
        category_slugs=tuple(category.slug for category in categories),
        unit_price_cents=product.price_cents,
        currency=product.currency,
        priced_at=product.priced_at,
        external_id=product.external_id,
    )
