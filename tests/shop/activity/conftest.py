"""The cast of the activity log's tests: that of the orders'."""

from tests.shop.orders.conftest import alice, bob, sam, sign_up, stranger, strict_as_aws

__all__ = ["alice", "bob", "sam", "sign_up", "stranger", "strict_as_aws"]
