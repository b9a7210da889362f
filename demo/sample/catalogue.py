"""The sample shop: categories and products made from word lists, the same ones for a seed.

Reads ``catalogue.toml`` and nothing else: no DynamoDB, no Django.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

CATALOGUE_FILE = Path(__file__).with_name("catalogue.toml")
DEFAULT_SEED = 1_972
PRODUCTS_PER_CATEGORY = 6
CENTS = ("00", "50", "90", "95")


@dataclass(frozen=True, slots=True)
class SampleCategory:
    """A category and its name as visitors read it; ``parent`` is the slug of the one it is in."""

    slug: str
    name: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SampleProduct:
    """A product; ``unit_price`` is in euros, ``kind`` what its reviews call it (``desk-lamp``)."""

    id: str
    kind: str
    name: str
    description: str
    category_slugs: tuple[str, ...]
    unit_price: Decimal


@dataclass(frozen=True, slots=True)
class SampleCatalogue:
    """All of the sample shop that can be put in a basket."""

    categories: tuple[SampleCategory, ...]
    subcategories: tuple[SampleCategory, ...]
    products: tuple[SampleProduct, ...]


def sample_catalogue(seed: int = DEFAULT_SEED) -> SampleCatalogue:
    """Make ten categories of six products, some of them in a subcategory as well.

    One seed always gives the same catalogue.
    """
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    words = tomllib.loads(CATALOGUE_FILE.read_text(encoding="utf-8"))
    return SampleCatalogue(
        categories=tuple(
            SampleCategory(slug=category["slug"], name=category["name"])
            for category in words["category"]
        ),
        subcategories=tuple(
            SampleCategory(slug=sub["slug"], name=sub["name"], parent=category["slug"])
            for category in words["category"]
            for sub in category.get("sub", [])
        ),
        products=tuple(
            _product(rng, category=category, kind=kind, variant=variant, notes=words["notes"])
            for category in words["category"]
            for kind, variant in _variants(rng, category["kind"])
        ),
    )


def _variants(rng: Random, kinds: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Give every kind one variant, and as many kinds a second one as the category has room for."""
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
    further = rng.sample([*category["paragraphs"], *notes], rng.randint(0, 3))
    return SampleProduct(
        id=_slug(name),
        kind=kind["slug"],
        name=name,
        description="\n\n".join([kind["about"].format(name=name), *further]),
        category_slugs=(category["slug"], *(kind[key] for key in ("sub", "also") if key in kind)),
        unit_price=Decimal(f"{rng.randint(cheapest, dearest)}.{rng.choice(CENTS)}"),
    )


def _slug(name: str) -> str:
    without_marks = re.sub(r"[',]", "", name.lower())
    return re.sub(r"[^a-z0-9]+", "-", without_marks).strip("-")
