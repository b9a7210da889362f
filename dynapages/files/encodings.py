"""The encoding of a text: the one that is named, or the one that its bytes show.

charset-normalizer would not do: it takes most Latin-1 for cp1250, and UTF-8 with one damaged byte
too.
"""

import codecs
from typing import IO

MOST_BYTES_SEARCHED = 16 * 1024 * 1024
"""How far a text is searched for bytes that are not ASCII."""
_CHUNK = 1024 * 1024
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UTF_8 = "utf-8"


class EncodingUnknown(ValueError):
    """There is no encoding of this name; the text is one sentence."""


def require_encoding(name: str) -> str:
    """Return Python's name of an encoding. Raises EncodingUnknown."""
    try:
        "".encode(name)
    except LookupError as error:
        sentence = f"“{name}” is no encoding: use utf-8, utf-16, latin-1 or cp1252."
        raise EncodingUnknown(sentence) from error
    # With "-sig" a byte order mark is dropped where there is one.
    canonical = codecs.lookup(name).name
    return "utf-8-sig" if canonical == UTF_8 else canonical


def encoding_of(content: IO[bytes]) -> str:
    """Return the encoding of a text by its byte order mark, or else by its bytes.

    UTF-16 without a mark has a zero among its first two bytes. Windows-1252, which holds Latin-1,
    has bytes beyond ASCII of which none is a character of UTF-8. All else is UTF-8: a damaged byte
    among umlauts affects its row alone.
    """
    chunk = content.read(_CHUNK)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if chunk.startswith(mark):
            return encoding
    first, second = chunk[:1], chunk[1:2]
    if second == b"\0" and first != b"\0":
        return "utf-16-le"
    if first == b"\0" and second != b"\0":
        return "utf-16-be"
    return _eight_bit_encoding_of(chunk, content)


def _eight_bit_encoding_of(chunk: bytes, content: IO[bytes]) -> str:
    """Return UTF-8 or Windows-1252, by a text's first ``chunk`` and what of the rest is needed."""
    searched = 0
    has_other_bytes = False
    decoder = codecs.getincrementaldecoder(UTF_8)("surrogateescape")
    while chunk and searched < MOST_BYTES_SEARCHED:
        text = decoder.decode(chunk)
        if not text.isascii():
            # Bytes that are no UTF-8 have become surrogates; other characters beyond ASCII are.
            beyond_ascii = sum(not character.isascii() for character in text)
            surrogates = sum("\udc80" <= character <= "\udcff" for character in text)
            if surrogates < beyond_ascii:
                return "utf-8-sig"
            has_other_bytes = has_other_bytes or surrogates > 0
        searched += len(chunk)
        chunk = content.read(_CHUNK)
    return "cp1252" if has_other_bytes else "utf-8-sig"
