"""The postings of a comment in ``comment_words``: one for each stem, derived from its item.

A posting is the comment's list entry with all its stems, in the partition of one of them. Those of
a comment that is hidden or held are in partitions that only staff read.
"""

from comments import keys
from comments.host import COMMENTS
from comments.models import ENTRY, Comment
from comments.search.models import CommentWord
from comments.search.words import VERSION, indexed_stems
from comments.store.comments import is_listed, is_tombstone, product_id_of
from dynapages.items import Item

HIDDEN_PREFIX = "HIDDEN#"
STEMS = CommentWord.stems.attr_name
_LANGUAGE = Comment.language.attr_name
_TITLE = Comment.title.attr_name
_TEXT = Comment.text.attr_name
_NOTHING = {"S": ""}


def is_searchable() -> bool:
    """Return whether postings are written, and comments can be searched by their words."""
    return bool(COMMENTS["SEARCH"])


def partition(product_id: str, language: str, stem: str, *, hidden: bool = False) -> str:
    """Format the partition of a product's comments in a language with a word of this stem."""
    listed = keys.product_partition(product_id, VERSION, language, stem)
    return HIDDEN_PREFIX + keys.product_id_in(listed) if hidden else listed


def postings_of(item: Item, body: str | None) -> list[Item]:
    """Derive the postings of a comment from its item and its long body, None where it has none."""
    if is_tombstone(item):
        return []
    language: str = item[_LANGUAGE]["S"]
    text = item.get(_TEXT, _NOTHING)["S"] if body is None else body
    stems = indexed_stems(item.get(_TITLE, _NOTHING)["S"], text, language)
    product_id, hidden = product_id_of(item), not is_listed(item)
    entry = {name: item[name] for name in ENTRY if name in item} | {STEMS: {"SS": sorted(stems)}}
    keys_of = (partition(product_id, language, stem, hidden=hidden) for stem in stems)
    return [{"pk": {"S": key}, **entry} for key in keys_of]
