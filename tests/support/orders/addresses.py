"""Addresses that orders go to, as they are stored and as a form sends them."""

from dataclasses import asdict

from shop.addresses.address import NewAddress

ADDRESS = NewAddress(
    name="Ada Example",
    lines="12 Sample Street",
    postal_code="95014",
    city="CUPERTINO",
    region="CA",
    country="US",
)
"""As it is stored: with the capitals and the short name of the region that the country writes."""


def typed_address(address: NewAddress) -> dict[str, str]:
    """The fields of a form in which an address is typed."""
    return {f"address-{part}": text for part, text in asdict(address).items()}


TYPED = typed_address(ADDRESS)
