"""What comments refer to in other tables: their users, and their products.

Tables that were restored to different moments may disagree on these, and nothing can be derived
then. Of what is listed some may be meant: an import may name users who have no account.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from comments import host, keys
from comments.integrity.items import ANY_OF_A_COMMENT
from comments.models import TABLE, Comment, CommentReply
from comments.store.states import is_tombstone, product_id_of
from comments.store.table import is_comment
from comments.users import find_user
from dynapages.calls import in_chunks
from dynapages.items import Item
from dynapages.process import client, pool
from dynapages.upkeep import Candidate, Difference, Handlers, find_differences

READ_AT_ONCE = 100
"""Products and users that are looked for at a time."""
_AUTHOR = Comment.user_id.attr_name
_REPLIER = CommentReply.user_id.attr_name


def reference_differences() -> Iterator[Difference]:
    """Yield hints at users without an open account, and at products that do not exist.

    It reads the table ``comments``, and each user once.
    """
    for _check, difference in find_differences(client(), TABLE, {"": [References()]}):
        yield difference


class References:
    """Numbers of comments by their products, and of comments and dependents by their users."""

    def __init__(self) -> None:
        self._by_user = Counter[str]()
        self._by_product = Counter[str]()

    def handlers(self) -> Handlers:
        return {ANY_OF_A_COMMENT: self._add}

    def candidates(self) -> Iterator[Candidate]:
        yield Candidate(self._without_account)
        yield Candidate(self._without_product)

    def _add(self, item: Item) -> None:
        if is_tombstone(item):
            return
        user_id = _user_of(item)
        if user_id:
            self._by_user[user_id] += 1
        if is_comment(item):
            self._by_product[product_id_of(item)] += 1

    def _without_account(self) -> Iterator[Difference]:
        for some in in_chunks(sorted(self._by_user), READ_AT_ONCE):
            for user_id, user in zip(some, pool().map(find_user, some), strict=True):
                if user is None:
                    stored = f"{self._by_user[user_id]} without an open account"
                    yield _hint("items", f"user {user_id}", stored, "of a user who has one")

    def _without_product(self) -> Iterator[Difference]:
        for some in in_chunks(sorted(self._by_product), READ_AT_ONCE):
            for product_id in _missing_products(some):
                stored = f"{self._by_product[product_id]} without their product"
                yield _hint("comments", f"product {product_id}", stored, "of one that exists")


def _hint(kind: str, subject: str, stored: str, expected: str) -> Difference:
    return Difference(kind, subject, stored, expected, is_hint=True)


def _user_of(item: Item) -> str:
    """Return the id of the user who wrote a comment or a dependent; empty where it names none."""
    sort_key: str = item["sk"]["S"]
    for prefix in (keys.VOTE_PREFIX, keys.REPORT_PREFIX):
        if sort_key.startswith(prefix):
            return sort_key.removeprefix(prefix)
    attribute = _REPLIER if sort_key == keys.REPLY else _AUTHOR
    user_id: str = item.get(attribute, {"S": ""})["S"]
    return user_id


def _missing_products(product_ids: Iterable[str]) -> list[str]:
    """Return those of some products that do not exist."""
    wanted = list(product_ids)
    found = host.products().names(wanted)
    return [product_id for product_id in wanted if product_id not in found]
