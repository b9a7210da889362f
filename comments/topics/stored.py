"""Topics of a product in the table: how they are read, and replaced by others on one condition.

Whoever replaces them begins with what is stored. Its version is the condition of the write: where
others have written meanwhile, it begins anew.
"""

from collections.abc import Mapping

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.models import TABLE, ProductTopics
from comments.store.table import read_item
from comments.topics.records import (
    NO_TOPICS,
    LanguageTopics,
    TopicsOfProduct,
    item_of,
    topics_in,
)
from dynapages.process import client
from dynapages.writes import Action, check, delete, put, write_item


def read_topics(product_id: str) -> TopicsOfProduct:
    """Read the topics of a product, strongly, for a unit; empty ones where there are none."""
    return topics_in(read_item(keys.topics(product_id)))


def replacement(
    product_id: str, before: TopicsOfProduct, languages: Mapping[str, LanguageTopics]
) -> Action:
    """Build the action that stores the topics of these languages in the place of those before.

    Without languages it deletes them. Its condition holds as long as nobody has written others.
    """
    condition = _as_before(before)
    if not languages:
        return delete(TABLE, keys.topics(product_id), condition)
    after = TopicsOfProduct(languages, before.version + 1)
    return put(TABLE, item_of(product_id, after), condition)


def no_replacement(product_id: str, before: TopicsOfProduct) -> Action:
    """Build the action that writes nothing, and requires that nobody has written other topics."""
    return check(TABLE, keys.topics(product_id), _as_before(before))


def _as_before(before: TopicsOfProduct) -> Condition:
    if before.version:
        return ProductTopics.version == before.version
    return ProductTopics.pk.does_not_exist()


def replace_topics(
    product_id: str, before: TopicsOfProduct, languages: Mapping[str, LanguageTopics]
) -> TopicsOfProduct:
    """Store the topics of these languages in the place of those before; return what is stored.

    Raises ConditionFailed where others have written meanwhile, Contended, and botocore's errors.
    """
    if not languages and not before.version:
        return NO_TOPICS
    action = replacement(product_id, before, languages)
    write_item(client(), action)
    # Topics that the item has no room for are not in it.
    return topics_in(action["Put"]["Item"]) if "Put" in action else NO_TOPICS
