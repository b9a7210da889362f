"""Products and categories before they have keys, and the tree that categories are."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

DEEPEST = 6
"""The most categories in one another."""
MOST_CHILDREN = 100
"""Of one category: its page reads and links them all."""


@dataclass(frozen=True, slots=True)
class NewCategory:
    """A category before it has keys; ``slug`` is in its URL, ``parent`` is a slug too."""

    slug: str
    name: str
    parent: str | None = None
    is_off: bool = False


@dataclass(frozen=True, slots=True)
class Rating:
    """How a product is rated: by how many comments, 1 or more, and by how many stars in all."""

    count: int
    stars: int

    @property
    def average(self) -> float:
        """The mean, from 1 to 5."""
        return self.stars / self.count


@dataclass(frozen=True, slots=True)
class NewProduct:
    """A product before it has keys; ``currency`` is an ISO 4217 code.

    ``priced_at`` (aware) is the moment of the order that an import took the price from,
    ``external_id`` the product's id in another system. ``rating`` is copied from its comments: who
    changes a product does not change it, and has read no other version if only that differs.
    """

    id: str
    name: str
    category_slugs: tuple[str, ...]
    description: str = ""
    unit_price_cents: int | None = None
    currency: str | None = None
    priced_at: datetime | None = None
    external_id: str | None = None
    is_off: bool = False
    rating: Rating | None = field(default=None, repr=False, compare=False)

    @property
    def shown(self) -> tuple[object, ...]:
        """What lists show of the product, and where it is listed."""
        return self.name, self.unit_price_cents, self.currency, frozenset(self.category_slugs)

    @property
    def ranked_name(self) -> str:
        """The name in rankings, empty for a product that is off."""
        return "" if self.is_off else self.name

    def keep_unimported(self, before: "NewProduct") -> "NewProduct":
        """Return the product of an import with what files do not have as it was ``before``.

        That is whether it is off, its rating, and its id in another system where the file has none.
        """
        external_id = self.external_id or before.external_id
        return replace(self, external_id=external_id, is_off=before.is_off, rating=before.rating)

    def keep_priced_at(self, before: "NewProduct") -> "NewProduct":
        """Return the product with the moment of the price ``before``, if it has the same price."""
        has_same_price = (
            self.unit_price_cents == before.unit_price_cents and self.currency == before.currency
        )
        return replace(self, priced_at=before.priced_at if has_same_price else None)


# The tree of categories


class BrokenTree(ValueError):
    """A category's parent is missing, it is in itself or too deep, or it has too many children."""


@dataclass(frozen=True, slots=True)
class CategoryTree:
    """Categories by their slugs."""

    by_slug: Mapping[str, NewCategory]

    @classmethod
    def of(cls, categories: Iterable[NewCategory]) -> "CategoryTree":
        """Build a tree of categories, all of them checked. Raises BrokenTree."""
        tree = cls({category.slug: category for category in categories})
        children: Counter[str] = Counter()
        for slug, category in tree.by_slug.items():
            tree.path(slug)
            if category.parent:
                children[category.parent] += 1
        for slug, number in children.items():
            if number > MOST_CHILDREN:
                sentence = f"The category {slug!r} holds {number} others, more than {MOST_CHILDREN}"
                raise BrokenTree(sentence)
        return tree

    @property
    def names(self) -> dict[str, str]:
        """The names of the categories, by slug."""
        return {slug: category.name for slug, category in self.by_slug.items()}

    def path(self, slug: str) -> tuple[NewCategory, ...]:
        """Return the categories from the root down to one. Raises BrokenTree."""
        path: list[NewCategory] = []
        step: str | None = slug
        # Bounded by DEEPEST, as a category may lie in itself.
        while step is not None:
            if step not in self.by_slug:
                raise BrokenTree(f"The category {slug!r} lies in {step!r}, which is not given")
            path.append(self.by_slug[step])
            step = path[-1].parent
            if len(path) > DEEPEST:
                sentence = f"The category {slug!r} lies in itself, or deeper than {DEEPEST}"
                raise BrokenTree(sentence)
        return tuple(reversed(path))

    def deepest_path(self, slugs: Sequence[str]) -> tuple[NewCategory, ...]:
        """Return the longest of several categories' paths, the first of equals; () for none."""
        paths = [self.path(slug) for slug in slugs]
        return max(paths, key=len, default=())
