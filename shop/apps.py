"""The shop: catalogue, customers and orders, in one table."""

from pathlib import Path
from types import ModuleType
from typing import Any, Final

from django.apps import AppConfig
from django.conf import settings

DEFAULTS: Final[dict[str, Any]] = {
    # Shards of a counter and of the open orders at the most, and of the latter at least.
    "COUNTER_SHARDS": 8,
    "ORDER_SHARDS": 1,
    # Days from a delivery to an e-mail that asks for reviews; 0 is for none.
    "REVIEW_REQUEST_DAYS": 0,
    # Of the activity log: capacity units a second, and full months that are kept.
    "ACTIVITY_READ_UNITS": 5,
    "ACTIVITY_WRITE_UNITS": 5,
    "ACTIVITY_RETENTION_MONTHS": 12,
    # Where the entries of that log are kept while the database is away.
    "VAR_DIR": Path("var"),
    "RATE_LIMITER": "shop.table.limiter",
    # Of `shop.accounts`: whether staff need a second factor; names that the page offers to try.
    "REQUIRE_STAFF_2FA": False,
    "SAMPLE_SIGN_IN": (),
}
"""All settings that only the shop reads, and what they are where the project does not set them."""


class ShopConfig(AppConfig):
    """Makes the shop an app of a project, and completes its settings."""

    name = "shop"

    def __init__(self, app_name: str, app_module: ModuleType | None) -> None:
        super().__init__(app_name, app_module)
        for name, default in DEFAULTS.items():
            is_set = getattr(settings, name, "") != ""
            if not is_set:
                setattr(settings, name, default)

    def ready(self) -> None:
        """Register what the worker does, and what owes it."""
        # Imported now: these modules need models, which are ready only here.
        from shop.catalogue import below  # noqa: F401, PLC0415 - registers what follows categories
        from shop.orders.owing import order_events  # noqa: PLC0415 - models are ready now
        from shop.webhooks import delivery  # noqa: F401, PLC0415 - registers what it delivers
        from shop.webhooks.owing import owed_by_orders  # noqa: PLC0415 - models are ready now

        order_events.add(owed_by_orders)
