"""Identifiers of other systems: those that this shop allows are kept, others are mapped.

A text is always mapped alike, so that an import finds what an earlier one wrote; two texts that
differ are mapped to two identifiers, because a digest of the text is a part of each.
"""

import re
import unicodedata
from hashlib import blake2b

LONGEST_ID = 128
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_NOT_IN_SLUGS = re.compile(r"[^A-Za-z0-9._]+")
_DIGEST_BYTES = 4
_ALL_BUT_SLUG = 2 * _DIGEST_BYTES + 1
"""Characters of the dash and the digest."""


def product_id_of(original: str) -> str:
    """Return the id of a product: at most 128 of ``A-Z a-z 0-9 . _ -``, a letter or digit first.

    Ids of orders follow the same rule. Raises ValueError for an empty text.
    """
    return original if _ID.fullmatch(original) else _mapped(original, LONGEST_ID)


def user_name_of(original: str, *, allowed: re.Pattern[str], longest: int) -> str:
    """Return a user name: ``original`` in lower case if that is ``allowed``, else a mapped one.

    ``longest`` is in characters, at least ten. ``allowed`` must take every mapped name: lower case
    ASCII letters, digits, ``._-``, a letter or digit first. Raises ValueError for an empty text.
    """
    name = original.lower()
    return name if allowed.fullmatch(name) else _mapped(original, longest).lower()


def _mapped(original: str, longest: int) -> str:
    if not original:
        raise ValueError("there is no identifier")
    plain = unicodedata.normalize("NFKD", original).encode("ascii", "ignore").decode()
    slug = _NOT_IN_SLUGS.sub("-", plain).strip("._-")[: longest - _ALL_BUT_SLUG]
    digest = blake2b(original.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{slug or 'id'}-{digest}"
