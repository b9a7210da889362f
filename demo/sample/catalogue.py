"""The sample shop: categories and products made from ``catalogue.toml``, the same for a seed."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from shop.catalogue.content import NewCategory, NewProduct

CATALOGUE_FILE = Path(__file__).with_name("catalogue.toml")
DEFAULT_SEED = 1_972
PRODUCTS_PER_CATEGORY = 6
CENTS = (0, 50, 90, 95)
CURRENCY = "EUR"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleProduct(NewProduct):
    """A product; ``kind`` is the key of its noun in the voices of reviews (``desk-lamp``)."""

    kind: str
    unit_price_cents: int


@dataclass(frozen=True, slots=True)
class SampleCatalogue:
    """The products of the sample shop, and the categories they are in."""

    categories: tuple[NewCategory, ...]
    subcategories: tuple[NewCategory, ...]
    products: tuple[SampleProduct, ...]


def sample_catalogue(seed: int = DEFAULT_SEED) -> SampleCatalogue:
    """Make ten categories of six products, some of them in a subcategory as well.

    The same seed makes the same catalogue.
    """
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    words = tomllib.loads(CATALOGUE_FILE.read_text(encoding="utf-8"))
    categories, subcategories, products = [], [], []
    for category in words["category"]:
        slug = category["slug"]
        categories.append(NewCategory(slug=slug, name=category["name"]))
        for sub in category.get("sub", []):
            subcategories.append(NewCategory(slug=sub["slug"], name=sub["name"], parent=slug))
        for kind, variant in _variants(rng, category["kind"]):
            product = _product(
                rng, category=category, kind=kind, variant=variant, notes=words["notes"]
            )
            products.append(product)
    return SampleCatalogue(tuple(categories), tuple(subcategories), tuple(products))


def _variants(rng: Random, kinds: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a variant of each kind, and a second one of as many as the category has room for."""
    doubled = rng.sample(range(len(kinds)), PRODUCTS_PER_CATEGORY - len(kinds))
    for number, kind in enumerate(kinds):
        for variant in rng.sample(kind["variants"], 2 if number in doubled else 1):
            yield kind, variant


def _product(
    rng: Random, *, category: dict[str, Any], kind: dict[str, Any], variant: str, notes: list[str]
) -> SampleProduct:
    pattern = kind.get("pattern", "{variant} {noun}")
    name = pattern.format(variant=variant, noun=kind["noun"])
    cheapest, dearest = kind["price"]
    # From none to three further paragraphs, so that descriptions differ in length.
    further = rng.sample([*category["paragraphs"], *notes], rng.randint(0, 3))
    category_slugs = [category["slug"]]
    for key in ("sub", "also"):
        if key in kind:
            category_slugs.append(kind[key])
    return SampleProduct(
        id=_slug(name),
        kind=kind["slug"],
        name=name,
        description="\n\n".join([kind["about"].format(name=name), *further]),
        category_slugs=tuple(category_slugs),
        unit_price_cents=rng.randint(cheapest, dearest) * 100 + rng.choice(CENTS),
        currency=CURRENCY,
    )


def _slug(name: str) -> str:
    without_marks = re.sub(r"[',]", "", name.lower())
    return re.sub(r"[^a-z0-9]+", "-", without_marks).strip("-")
