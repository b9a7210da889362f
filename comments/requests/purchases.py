"""What a project tells of a purchase whose buyer is to be asked for reviews."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DuePurchase:
    """A purchase about which its buyer is to be asked for reviews.

    ``id`` is the order's in the project: it is asked about once. ``user_id`` is the buyer's, as in
    `comments.users`. ``address`` is an e-mail address, empty for none. ``bought_at`` is aware.
    ``name`` is how the e-mail greets, empty for none. ``language`` is a code of ``LANGUAGES``; any
    other stands for ``LANGUAGE_CODE``.
    """

    id: str
    user_id: str
    address: str
    bought_at: datetime
    product_ids: Sequence[str]
    name: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError for a moment without a time zone."""
        if self.bought_at.utcoffset() is None:
            raise ValueError(f"bought_at of purchase {self.id} has no time zone.")
