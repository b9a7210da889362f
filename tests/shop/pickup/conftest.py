"""The cast of the orders' tests: alice and bob are customers, sam is staff."""

from tests.shop.orders.conftest import alice, bob, sam, sign_up, stranger, strict_as_aws

__all__ = ["alice", "bob", "sam", "sign_up", "stranger", "strict_as_aws"]
