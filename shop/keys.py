"""Every key of the table ``shop``, in one place.

========================  ========================  =============================
item                      partition key ``pk``      sort key ``sk``
========================  ========================  =============================
user profile              ``USER#<name>``           ``PROFILE#<name>``
order                     ``USER#<name>``           ``ORDER#<order>``
order item                ``ITEM#<order>#<line>``   ``ORDER#<order>``
product                   ``PRODUCT#<id>``          ``PRODUCT#<id>``
its description           ``PRODUCT#<id>``          ``DESCRIPTION#<id>``
category                  ``CATEGORY#<slug>``       ``CATEGORY#<slug>``
product in a category     ``CATEGORY#<slug>``       ``PRODUCT#<id>``
category in the root      ``CATEGORY#~``            ``CATEGORY#<slug>``
========================  ========================  =============================

No sort key is shared without bound, because the index ``inverted`` turns sort keys into
partition keys: ``PROFILE#alex``, not ``PROFILE``. Nodes with a self-edge, edges as items:
"Adjacency Lists" of the pattern list.
"""

PRODUCT_PREFIX = "PRODUCT#"
CATEGORY_PREFIX = "CATEGORY#"
ROOT = f"{CATEGORY_PREFIX}~"
"""The node whose edges lead to all categories."""


def product(product_id: str) -> str:
    """Give both keys of a product, and the sort key of its edges."""
    return f"{PRODUCT_PREFIX}{product_id}"


def description(product_id: str) -> str:
    """Give the sort key of a product's description."""
    return f"DESCRIPTION#{product_id}"


def category(slug: str) -> str:
    """Give both keys of a category, and the partition key of its edges to products."""
    return f"{CATEGORY_PREFIX}{slug}"
