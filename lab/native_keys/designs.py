"""The keys of comments as they are, and two designs with keys of several attributes.

All have the same four lists of a product's comments. Today an attribute of each comment is derived
for each index, such as ``PRODUCT#42/en/5``. With keys of several attributes, which DynamoDB calls
multi-attribute keys, an index is of what comments say anyway, and ``a`` is the product alone: a
comment that lacks it is in no list.

====================  ====================  ==========================  ==========================
index                 today                 in the partition            rating in the sort key
====================  ====================  ==========================  ==========================
all                   ``a`` ; ``o``         ``a`` ; ``o``               ``a`` ; ``o``
by_language           ``l`` ; ``o``         ``a``, ``g`` ; ``o``        ``a``, ``g`` ; ``o``
by_rating             ``r`` ; ``o``         ``a``, ``s`` ; ``o``        ``a`` ; ``s``, ``o``
by_language_and_      ``b`` ; ``o``         ``a``, ``g``, ``s`` ;       ``a``, ``g`` ; ``s``,
rating                                      ``o``                       ``o``
====================  ====================  ==========================  ==========================
"""

from collections.abc import Mapping, Sequence
from typing import Any

from comments.models import (
    SHOWN,
    TABLE,
    All,
    ByLanguage,
    ByLanguageAndRating,
    ByRating,
    Comment,
)
from comments.store.states import product_id_of
from comments.store.table import LIST_KEYS
from dynapages.items import Item
from dynapages.tables import TableSchema
from lab.native_keys.byte_prices import TABLE_KEY, IndexShape

PRODUCT = Comment.product_partition.attr_name
LANGUAGE = Comment.language.attr_name
RATING = Comment.rating.attr_name
PLACE = Comment.place.attr_name


class KeyDesign:
    """Keys of a product's lists of comments; subclasses are the designs.

    ``list_keys`` are the attributes that put a comment into its lists, besides what it says and its
    place. ``indexes`` are all of the table.
    """

    name: str
    list_keys: tuple[str, ...]
    indexes: tuple[IndexShape, ...]

    def item_of(self, item: Item) -> Item:
        """Return what is stored of a comment, by the item that the site stores."""
        raise NotImplementedError

    def create_request(self) -> dict[str, Any]:
        """Return the parameters of CreateTable."""
        types = _key_types()
        names = dict.fromkeys(TABLE_KEY)
        for index in self.indexes:
            names.update(dict.fromkeys(index.key))
        definitions = [{"AttributeName": name, "AttributeType": types[name]} for name in names]
        partition, sort = TABLE_KEY
        return {
            "TableName": TABLE,
            "AttributeDefinitions": definitions,
            "KeySchema": [
                {"AttributeName": partition, "KeyType": "HASH"},
                {"AttributeName": sort, "KeyType": "RANGE"},
            ],
            "GlobalSecondaryIndexes": [index.declaration() for index in self.indexes],
            "BillingMode": "PAY_PER_REQUEST",
        }


def _key_types() -> Mapping[str, str]:
    """Return the types of what is a key in any of the designs."""
    types = {RATING: "N", LANGUAGE: "S"}
    for definition in TableSchema.of(Comment).attributes:
        types[definition["AttributeName"]] = definition["AttributeType"]
    return types


def _indexes_of_site() -> tuple[IndexShape, ...]:
    """Return the indexes of the table as the site has them."""
    shapes = []
    for index in TableSchema.of(Comment).global_indexes:
        partition, sort = (part["AttributeName"] for part in index["KeySchema"])
        projected = tuple(index["Projection"].get("NonKeyAttributes", ()))
        shapes.append(IndexShape(index["IndexName"], (partition,), (sort,), projected))
    return tuple(shapes)


class Concatenated(KeyDesign):
    """Keys as the site has them: an attribute for each index, with all values in it."""

    name = "concatenated"
    list_keys = tuple(LIST_KEYS.values())
    indexes = _indexes_of_site()

    def item_of(self, item: Item) -> Item:
        return item


class _Native(KeyDesign):
    """Keys of several attributes."""

    list_keys = (PRODUCT,)

    def item_of(self, item: Item) -> Item:
        without = {name: value for name, value in item.items() if name not in LIST_KEYS.values()}
        # A hidden comment lacks it, as it lacks all keys of lists today.
        if PRODUCT in item:
            without[PRODUCT] = {"S": product_id_of(item)}
        return without


def _native_indexes(
    keys: Mapping[str, tuple[Sequence[str], Sequence[str]]],
) -> Sequence[IndexShape]:
    """Return the indexes with some partition and sort attributes of the lists, by their names."""
    shapes = []
    for index in _indexes_of_site():
        if index.name not in keys:
            shapes.append(index)
            continue
        partition, sort = keys[index.name]
        others = (name for name in (LANGUAGE, RATING) if name not in (*partition, *sort))
        shapes.append(IndexShape(index.name, tuple(partition), tuple(sort), (*others, *SHOWN)))
    return tuple(shapes)


class NativePartitions(_Native):
    """A partition for each filter, as today; each is of several attributes."""

    name = "native, in the partition"
    indexes = tuple(
        _native_indexes(
            {
                All.Meta.index_name: ((PRODUCT,), (PLACE,)),
                ByLanguage.Meta.index_name: ((PRODUCT, LANGUAGE), (PLACE,)),
                ByRating.Meta.index_name: ((PRODUCT, RATING), (PLACE,)),
                ByLanguageAndRating.Meta.index_name: ((PRODUCT, LANGUAGE, RATING), (PLACE,)),
            }
        )
    )


class NativeSortKeys(_Native):
    """The rating is the first sort attribute: a partition has all ratings, one after another."""

    name = "native, in the sort key"
    indexes = tuple(
        _native_indexes(
            {
                All.Meta.index_name: ((PRODUCT,), (PLACE,)),
                ByLanguage.Meta.index_name: ((PRODUCT, LANGUAGE), (PLACE,)),
                ByRating.Meta.index_name: ((PRODUCT,), (RATING, PLACE)),
                ByLanguageAndRating.Meta.index_name: ((PRODUCT, LANGUAGE), (RATING, PLACE)),
            }
        )
    )


DESIGNS: Sequence[KeyDesign] = (Concatenated(), NativePartitions(), NativeSortKeys())
