"""Spellings of statuses in files, besides the shop's own."""

from collections.abc import Mapping

from shop.order_status import Status

SPELLINGS = {
    Status.PLACED: ("created", "new", "open", "pending", "pending payment", "on hold"),
    Status.APPROVED: ("paid", "confirmed", "invoiced"),
    Status.PROCESSING: ("in process", "in progress", "packed"),
    Status.SHIPPED: ("sent", "dispatched", "in transit"),
    Status.DELIVERED: ("complete", "completed", "fulfilled"),
    Status.CANCELED: ("cancelled", "failed", "voided", "unavailable"),
    Status.RETURNED: ("refunded",),
}
_KNOWN = {
    spelling: status
    for status, spellings in SPELLINGS.items()
    for spelling in (status.value.lower(), *spellings)
}


def status_of(text: str, mapped: Mapping[str, Status]) -> Status | None:
    """Return the status that a file calls ``text``, None if that is unknown.

    ``mapped`` are spellings in lower case. The others are compared without regard to case, to
    dashes and underscores, and to WooCommerce's prefix ``wc-``.
    """
    lower = text.lower()
    plain = lower.removeprefix("wc-").replace("-", " ").replace("_", " ")
    return mapped.get(lower) or _KNOWN.get(plain)
