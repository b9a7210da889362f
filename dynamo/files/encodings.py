"""The encoding of a text file, found out from its bytes."""

import codecs
from typing import IO

LOOKED_AT = 16 * 1024 * 1024
"""Bytes that are looked at for one that is not ASCII."""
_CHUNK = 1024 * 1024
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UTF_8 = "utf-8"


class EncodingUnknown(ValueError):
    """There is no encoding of this name; the text is one sentence."""

    def __init__(self, name: str) -> None:
        super().__init__(f"“{name}” is no encoding: use utf-8, utf-16, latin-1 or cp1252.")


def require_encoding(name: str) -> str:
    """Return Python's name of an encoding. Raises EncodingUnknown."""
    try:
        "".encode(name)
    except LookupError as error:
        raise EncodingUnknown(name) from error
    # With "-sig" a byte order mark is dropped where there is one.
    canonical = codecs.lookup(name).name
    return "utf-8-sig" if canonical == UTF_8 else canonical


def encoding_of(content: IO[bytes]) -> str:
    """Return the encoding of a text by its byte order mark, or else by its bytes.

    A text is UTF-16 without a mark where one of its first two bytes is zero. It is Windows-1252,
    which holds Latin-1, where it has bytes beyond ASCII and none of them is a character of UTF-8.
    All else is UTF-8, so that a damaged byte among umlauts affects its row alone.
    """
    chunk = content.read(_CHUNK)
    for mark, encoding in _MARKS:
        if chunk.startswith(mark):
            return encoding
    if chunk[1:2] == b"\0" and chunk[:1] != b"\0":
        return "utf-16-le"
    if chunk[:1] == b"\0" and chunk[1:2] != b"\0":
        return "utf-16-be"
    seen, is_other = 0, False
    decoder = codecs.getincrementaldecoder(UTF_8)("surrogateescape")
    while chunk and seen < LOOKED_AT:
        text = decoder.decode(chunk)
        if not text.isascii():
            escaped = sum("\udc80" <= character <= "\udcff" for character in text)
            is_other |= escaped > 0
            if escaped < sum(not character.isascii() for character in text):
                return "utf-8-sig"
        seen += len(chunk)
        chunk = content.read(_CHUNK)
    return "cp1252" if is_other else "utf-8-sig"
