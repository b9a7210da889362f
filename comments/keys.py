"""Every key of the table ``comments``, in one place.

========================  ====================  =========================================
item                      partition key ``pk``  sort key ``sk``
========================  ====================  =========================================
comment                   ``COMMENT#<id>``      ``COMMENT#<id>``
its long body             ``COMMENT#<id>``      ``BODY``
its reply by the shop     ``COMMENT#<id>``      ``REPLY``
a helpful vote            ``COMMENT#<id>``      ``VOTE#<username>``
a report                  ``COMMENT#<id>``      ``REPORT#<username>``
a share of its tally      ``TALLY#<id>#<n>``    ``TALLY#<id>#<n>``
a product's counts        ``COUNTS#<p>#<n>``    ``COUNTS#<p>#<n>``
========================  ====================  =========================================

One Query on a comment's partition key finds all that must go with it when it is deleted.
"""

BODY = "BODY"
PRODUCT_PREFIX = "PRODUCT#"


def comment(comment_id: str) -> str:
    """Give the partition key of all that belongs to a comment, and the comment's sort key."""
    return f"COMMENT#{comment_id}"


def counts(product_id: str, shard: int) -> str:
    """Give both keys of one shard of a product's counts."""
    return f"COUNTS#{product_id}#{shard}"


def product_partition(product_id: str, *narrower: str | int) -> str:
    """Give an index's partition: the product, then the filter values that index answers."""
    return "/".join([f"{PRODUCT_PREFIX}{product_id}", *map(str, narrower)])


def product_id_in(partition: str) -> str:
    """Give the product id of a partition of the index ``all``."""
    return partition.removeprefix(PRODUCT_PREFIX)


def product_id_of_counts(key: str) -> str:
    """Give the product id of a shard of its counts."""
    return key.removeprefix("COUNTS#").rpartition("#")[0]
