"""Products and categories that are taken off, and put back."""

from dataclasses import replace

from shop.catalogue import editing


def take_off(product_id: str, *, is_off: bool = True) -> None:
    """Sell a product no more."""
    stored = editing.find_editable(product_id)
    editing.save_product(replace(stored.content, is_off=is_off), version=stored.version)


def put_back(product_id: str) -> None:
    """Sell a product again."""
    take_off(product_id, is_off=False)


def take_off_category(slug: str, *, is_off: bool = True) -> editing.Saved:
    """Hide a category."""
    stored = editing.find_editable_category(slug)
    return editing.save_category(replace(stored.content, is_off=is_off), version=stored.version)


def put_back_category(slug: str) -> editing.Saved:
    """Show a category again."""
    return take_off_category(slug, is_off=False)
