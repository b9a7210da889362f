"""Identifiers of other systems: those that addresses and keys can hold are kept, others are mapped.

A text is always mapped alike, so that an import finds what an earlier one wrote; two texts that
differ are mapped to two identifiers, because a digest of the text is a part of each. The rest of it
is what of the text may be in one, so that people recognize it.
"""

import re
import unicodedata
from hashlib import blake2b

LONGEST_ID = 128
IDENTIFIER = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
"""The pattern of all of what `identifier_of` returns."""
_ID = re.compile(IDENTIFIER)
_NOT_IN_SLUGS = re.compile(r"[^A-Za-z0-9._]+")
_DIGEST_BYTES = 4
_ALL_BUT_SLUG = 2 * _DIGEST_BYTES + 1
"""Characters of the dash and the digest."""


def identifier_of(original: str) -> str:
    """Return an id: at most 128 of ``A-Z a-z 0-9 . _ -``, a letter or digit first.

    Raises ValueError for an empty text.
    """
    return original if _ID.fullmatch(original) else mapped_identifier(original, LONGEST_ID)


def mapped_identifier(original: str, longest: int) -> str:
    """Return what a text is mapped to: at most ``longest`` characters, at least eleven.

    They are as those of `identifier_of`. Raises ValueError for an empty text.
    """
    if not original:
        raise ValueError("there is no identifier")
    plain = unicodedata.normalize("NFKD", original).encode("ascii", "ignore").decode()
    slug = _NOT_IN_SLUGS.sub("-", plain).strip("._-")[: longest - _ALL_BUT_SLUG]
    digest = blake2b(original.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{slug or 'id'}-{digest}"
