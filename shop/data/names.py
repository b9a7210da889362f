"""User names and ids of a file as they are stored: those that are not allowed are mapped."""

from dataclasses import dataclass, field

from dynapages.files.identifiers import LONGEST_ID, identifier_of, mapped_identifier
from shop.accounts.names import LONGEST_USERNAME, USERNAME


@dataclass(slots=True)
class Names:
    """Maps names and ids, and keeps the originals of those that could not be kept.

    ``users_before`` and ``products_before`` are originals that an export of this shop tells.
    """

    users: dict[str, str] = field(default_factory=dict)
    products: dict[str, str] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)
    users_before: dict[str, str] = field(default_factory=dict)
    products_before: dict[str, str] = field(default_factory=dict)

    def user(self, original: str) -> str:
        """Return the user name of a customer, whose ``original`` name is not empty."""
        name = username_for(original)
        if name != original.lower():
            self.users[name] = original
        return name

    def order(self, original: str) -> str:
        """Return the foreign id of an order: its ``original`` id, unless that is too long."""
        if len(original) <= LONGEST_ID:
            return original
        return _mapped(original, self.orders)

    def product(self, original: str) -> str:
        """Return the id of a product, whose ``original`` id is not empty."""
        return _mapped(original, self.products)


def username_for(original: str) -> str:
    """Return a user name: ``original`` in lower case if that is allowed, else a digest of it.

    Raises ValueError for an empty text.
    """
    name = original.lower()
    if USERNAME.fullmatch(name):
        return name
    # The same name has the same digest in each file, and each time a file is imported.
    return mapped_identifier(original, LONGEST_USERNAME).lower()


def _mapped(original: str, originals: dict[str, str]) -> str:
    mapped = identifier_of(original)
    if mapped != original:
        originals[mapped] = original
    return mapped
