"""Set items with what lists show of a comment compressed in one attribute, and back again.

Nothing of the site stores items so: they are built to be weighed (`lab.sets.compressed`). Keys,
language, rating and version stay as they are: an index is made of keys, and a FilterExpression and
a condition need attributes that the database can read.
"""

import bz2
import json
import lzma
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from comments.models import SHOWN
from dynapages.items import Item, Value

PACKED = "c"
"""The attribute with the payload; no item of the site has it."""
DICTIONARY_BYTES = 32_768
"""What deflate looks back over: more of a dictionary would never be used."""
LEVEL = 6
_FORMAT = b"\x01"
"""Each payload begins with a byte that tells readers how it is compressed, and by which dictionary.

Without it the way could never be changed: items of both ways are in the table then.
"""
_RAW = -zlib.MAX_WBITS
"""Deflate without the header and checksum of zlib: six bytes less, ten with a dictionary."""
_LZMA = [{"id": lzma.FILTER_LZMA2, "preset": LEVEL, "dict_size": DICTIONARY_BYTES}]


class Packing(ABC):
    """A way to compress payloads; subclasses are the ways."""

    name: ClassVar[str]

    @abstractmethod
    def compress(self, payload: bytes) -> bytes:
        """Return the compressed payload."""

    @abstractmethod
    def decompress(self, compressed: bytes) -> bytes:
        """Return the payload that `compress` was given."""

    def pack(self, item: Item) -> Item:
        """Return a set item, or an entry of its index, with its payload compressed."""
        plain: dict[str, Value] = {}
        shown: dict[str, Value] = {}
        for name, value in item.items():
            if name in SHOWN:
                shown[name] = value
            else:
                plain[name] = value
        return {**plain, PACKED: {"B": _FORMAT + self.compress(payload_of(shown))}}

    def unpack(self, item: Item) -> Item:
        """Return the item that `pack` was given."""
        unpacked = dict(item)
        compressed: bytes = unpacked.pop(PACKED)["B"]
        return {**unpacked, **shown_in(self.decompress(compressed.removeprefix(_FORMAT)))}


class Deflate(Packing):
    """Deflate, as zlib has it, at level 6."""

    name = "zlib"

    def compress(self, payload: bytes) -> bytes:
        deflating = zlib.compressobj(LEVEL, zlib.DEFLATED, _RAW)
        return deflating.compress(payload) + deflating.flush()

    def decompress(self, compressed: bytes) -> bytes:
        return zlib.decompress(compressed, _RAW)


class DeflateWithDictionary(Packing):
    """The same behind a dictionary: payloads of other comments, which each one may repeat.

    Whoever reads an item must have the dictionary that it was written with, for ever.
    """

    name = "zlib with a dictionary"

    def __init__(self, dictionary: bytes) -> None:
        self.dictionary = dictionary

    def compress(self, payload: bytes) -> bytes:
        deflating = zlib.compressobj(LEVEL, zlib.DEFLATED, _RAW, zdict=self.dictionary)
        return deflating.compress(payload) + deflating.flush()

    def decompress(self, compressed: bytes) -> bytes:
        inflating = zlib.decompressobj(_RAW, zdict=self.dictionary)
        return inflating.decompress(compressed) + inflating.flush()


class Bzip2(Packing):
    """The compression of bzip2, which the article names."""

    name = "bz2"

    def compress(self, payload: bytes) -> bytes:
        return bz2.compress(payload)

    def decompress(self, compressed: bytes) -> bytes:
        return bz2.decompress(compressed)


class Lzma(Packing):
    """LZMA2 without the container of xz, which would be longer than most comments."""

    name = "lzma"

    def compress(self, payload: bytes) -> bytes:
        return lzma.compress(payload, lzma.FORMAT_RAW, filters=_LZMA)

    def decompress(self, compressed: bytes) -> bytes:
        return lzma.decompress(compressed, lzma.FORMAT_RAW, filters=_LZMA)


def packings(samples: Iterable[Item]) -> Sequence[Packing]:
    """Return all ways; the dictionary is made of the payloads of samples."""
    return Deflate(), DeflateWithDictionary(dictionary_of(samples)), Bzip2(), Lzma()


def dictionary_of(samples: Iterable[Item]) -> bytes:
    """Return the payloads of items, as many as a dictionary takes."""
    dictionary = b""
    for sample in samples:
        if len(dictionary) >= DICTIONARY_BYTES:
            break
        dictionary += payload_of({name: sample[name] for name in SHOWN if name in sample})
    return dictionary[-DICTIONARY_BYTES:]


# Payloads


def payload_of(shown: Item) -> bytes:
    """Return what lists show of a comment, as JSON of plain values: shorter than the wire form."""
    values = {name: _plain(value) for name, value in shown.items()}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


def shown_in(payload: bytes) -> dict[str, Value]:
    """Return the attributes of a payload in wire form."""
    return _wire(json.loads(payload))


def _plain(value: Value) -> object:
    """Return a value without its type: a reply is a map, a length a whole number."""
    ((kind, content),) = value.items()
    if kind == "M":
        return {name: _plain(inner) for name, inner in content.items()}
    if kind == "N":
        return int(content)
    return content


def _wire(values: Mapping[str, Any]) -> dict[str, Value]:
    return {name: _wire_value(value) for name, value in values.items()}


def _wire_value(value: object) -> Value:
    if isinstance(value, dict):
        return {"M": _wire(value)}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int):
        return {"N": str(value)}
    return {"S": value}
