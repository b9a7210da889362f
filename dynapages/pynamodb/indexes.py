"""Indexes of several attributes: PynamoDB itself would put these in the order of the alphabet."""

from typing import Any, TypeVar

from pynamodb._schema import IndexSchema
from pynamodb.attributes import Attribute
from pynamodb.indexes import GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.pagination import ResultIterator

from dynapages.index_keys import IN_DECLARED_ORDER

_M = TypeVar("_M", bound=Model)


class SeveralAttributesIndex(GlobalSecondaryIndex[_M]):
    """A global index with up to four partition and four sort attributes, in the order of the class.

    It is read by `feed_of`. PynamoDB's ``query`` and ``count`` take one value of a partition: they
    raise TypeError where it has several partition attributes. Declare it like this::

        class ByStatus(SeveralAttributesIndex["Event"]):
            class Meta:
                projection = AllProjection()

            tenant = UnicodeAttribute(hash_key=True)
            status = UnicodeAttribute(hash_key=True)
            priority = NumberAttribute(range_key=True)
            at = UnicodeAttribute(range_key=True)
    """

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)  # type: ignore[no-untyped-call]  # PynamoDB's
        if cls.Meta is not None:
            cls.Meta.attributes = _attributes_of(cls)

    @classmethod
    def _get_schema(cls) -> IndexSchema:
        schema: Any = super()._get_schema()
        schema[IN_DECLARED_ORDER] = True
        return schema  # type: ignore[no-any-return]  # the mark is not in PynamoDB's type

    def query(self, *arguments: Any, **options: Any) -> ResultIterator[_M]:  # noqa: ANN401 - PynamoDB's
        """Query the index as PynamoDB does. Raises TypeError for several partition attributes."""
        self._require_one_value("query")
        return super().query(*arguments, **options)

    def count(self, *arguments: Any, **options: Any) -> int:  # noqa: ANN401 - PynamoDB's
        """Count items as PynamoDB does. Raises TypeError for several partition attributes."""
        self._require_one_value("count")
        return super().count(*arguments, **options)

    def _require_one_value(self, method: str) -> None:
        attributes = self.Meta.attributes.values()
        names = [each.attr_name for each in attributes if each.is_hash_key]
        if len(names) > 1:
            raise TypeError(
                f"PynamoDB's {method} takes one value, and a partition of the index "
                f"{self.Meta.index_name} has {len(names)} ({', '.join(names)}). Read it by "
                "dynapages.pynamodb.feed_of."
            )


def _attributes_of(index: type[Any]) -> dict[str, Attribute[Any]]:
    """Return the attributes of a class by name, in the order of its body, its bases' first."""
    names: dict[str, None] = {}
    for each in reversed(index.__mro__):
        names.update(dict.fromkeys(vars(each)))
    attributes = {}
    for name in names:
        value = getattr(index, name)
        if isinstance(value, Attribute):
            attributes[name] = value
    return attributes
