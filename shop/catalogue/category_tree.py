"""The tree of categories, which must hold the parents of each up to the root."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shop.catalogue.items import NewCategory

MOST_DEEP = 6
MOST_IN_ONE = 100
"""Children of one category: its page reads and links them all."""


class BrokenTree(ValueError):
    """A category's parent is missing, it is in itself or too deep, or it has too many children."""


@dataclass(frozen=True, slots=True)
class CategoryTree:
    """Categories by their slugs."""

    by_slug: Mapping[str, NewCategory]

    @classmethod
    def of(cls, categories: Iterable[NewCategory]) -> "CategoryTree":
        """Build a tree. Raises BrokenTree."""
        tree = cls({category.slug: category for category in categories})
        for slug in tree.by_slug:
            tree.path(slug)
        parents = Counter(category.parent for category in tree.by_slug.values() if category.parent)
        for slug, number in parents.items():
            if number > MOST_IN_ONE:
                sentence = f"The category {slug!r} holds {number} others, more than {MOST_IN_ONE}"
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
        while step is not None:
            if step not in self.by_slug:
                sentence = f"The category {slug!r} lies in {step!r}, which is not given"
                raise BrokenTree(sentence)
            path.append(self.by_slug[step])
            step = path[-1].parent
            if len(path) > MOST_DEEP:
                sentence = f"The category {slug!r} lies in itself, or deeper than {MOST_DEEP}"
                raise BrokenTree(sentence)
        return tuple(reversed(path))

    def deepest_path(self, slugs: Sequence[str]) -> tuple[NewCategory, ...]:
        """Return the (first) longest of several categories' paths, () for none."""
        return max(map(self.path, slugs), key=len, default=())
