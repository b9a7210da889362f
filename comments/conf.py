"""The app's one setting, ``COMMENTS``; docs/installing.md explains each option."""

from typing import Any, Final

from dynapages.django.app_settings import AppSettings

DEFAULTS: Final[dict[str, Any]] = {
    # Dotted paths of what the project lends the app: see `comments.host`. The first is needed.
    "PRODUCTS": "",
    "HAS_BOUGHT": "",
    "USER_EXISTS": "comments.host.is_active_user",
    # Of what decides on a comment before it is published, or several: see `comments.gates`.
    "GATE": (),
    # The template that the app's pages extend, with the blocks `title` and `content` at the least.
    "BASE_TEMPLATE": "base.html",
    # Comments posted, edited, deleted, voted on and reported in an hour.
    "WRITES_PER_USER": 60,
    "WRITES_PER_ADDRESS": 300,
    "LANGUAGES_COOKIE": "comment-languages",
    # How lists are read, "indexes" or "sets", and how these are spelled: see docs/designs/sets.md.
    "READ_MODEL": "indexes",
    "SETS_KEY_FORMAT": "names",
    # Shards of a product's counts and of a comment's votes, at most.
    "COUNTER_SHARDS": 8,
}
"""All options, and what they are where the project does not set them."""

COMMENTS = AppSettings(
    "COMMENTS", DEFAULTS, paths=("PRODUCTS", "HAS_BOUGHT", "USER_EXISTS", "GATE")
)
