"""Copies of products' names outside the catalogue, such as in rankings.

They change in the transaction that renames the product.
"""

from collections.abc import Callable, Sequence

from dynamo.writes.actions import Action

Renaming = Callable[[str, str], Sequence[Action]]
"""Builds the actions that write a product's new name, by its id, into up to four copies."""

_renamings: list[Renaming] = []


def register_name_copies(renaming: Renaming) -> None:
    """Have ``renaming`` change copies of names; once in a process."""
    _renamings.append(renaming)


def rename_copies(product_id: str, name: str) -> list[Action]:
    """Build the actions that change all copies of a product's name."""
    return [action for renaming in _renamings for action in renaming(product_id, name)]
