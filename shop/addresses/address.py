"""An address that an order goes to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewAddress:
    """The address that an order goes to.

    ``lines`` are the street and what else leads to the door, with ends of lines between them.
    ``country`` is a code of two capitals. Parts that its addresses do not have are empty.
    """

    name: str
    lines: str
    postal_code: str
    city: str
    region: str
    country: str
