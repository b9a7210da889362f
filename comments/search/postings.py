"""The postings of a comment in ``comment_words``: one for each stem, derived from its item.

A posting is the comment's list entry with the digests of all its stems, in the partition of one of
them. Those of a comment that is hidden or held are in partitions that only staff read.

No posting has more than `LARGEST_POSTING` bytes, whatever the comment says: one is written for a
unit, and a page of a search costs what it is planned for. Of most comments the whole entry fits.
Where it does not, the longest of its texts are cut to one length: author, title, text and reply.
It is then marked as an excerpt, and pages link to the whole comment. Where the ids of the comment
and its user leave too little room for texts, the reply is left out, and then the user.
"""

from collections.abc import Iterable, Mapping

from comments import keys
from comments.host import COMMENTS
from comments.items import LONG_REPLY, excerpt
from comments.models import ENTRY, Comment, CommentReply
from comments.search.models import CommentWord
from comments.search.words import OLDER, VERSION, digest_of, indexed_stems, stem_in_keys
from comments.store.derived import Name
from comments.store.states import is_listed, is_tombstone, product_id_of
from dynapages.items import Item, item_bytes

HIDDEN_PREFIX = "HIDDEN#"
LARGEST_POSTING = 1_024
"""Bytes of an item that Amazon writes for one unit."""
STEMS = CommentWord.stems.attr_name
_PLACE = CommentWord.place.attr_name
_LANGUAGE = Comment.language.attr_name
_USER_ID = Comment.user_id.attr_name
_AUTHOR = Comment.author.attr_name
_TITLE = Comment.title.attr_name
_TEXT = Comment.text.attr_name
_BODY_BYTES = Comment.body_bytes.attr_name
_REPLY = Comment.reply.attr_name
_REPLY_TEXT = CommentReply.text.attr_name
_NOTHING = {"S": ""}
_ELLIPSIS = len("…".encode())
_WORTH_SHOWING = 12
"""Bytes that are left of each text, at least."""


def partition(
    product_id: str, language: str, stem: str, *, hidden: bool = False, version: str = VERSION
) -> str:
    """Format the partition of a product's comments in a language with a word of this stem."""
    product = keys.id_in_keys(product_id)
    key = keys.product_partition(product, version, language, stem_in_keys(stem))
    if hidden:
        return HIDDEN_PREFIX + keys.product_id_in(key)
    return key


def version_in(partition_key: str) -> str:
    """Return the version of stems in the partition key of a posting."""
    _product, version, _language, _stem = partition_key.rsplit("/", 3)
    return version


def has_older() -> bool:
    """Return whether the table may still have postings of the version before, `OLDER`."""
    return bool(COMMENTS["SEARCH_OLDER"])


def stems_of_comment(item: Item, body: str | None, version: str = VERSION) -> tuple[str, ...]:
    """Return the stems that a comment has postings of; none of a tombstone.

    ``body`` is its long text, None where it has none.
    """
    if is_tombstone(item):
        return ()
    title = item.get(_TITLE, _NOTHING)["S"]
    text = body
    if text is None:
        text = item.get(_TEXT, _NOTHING)["S"]
    return indexed_stems(title, text, item[_LANGUAGE]["S"], version)


def postings_of(item: Item, body: str | None) -> list[Item]:
    """Derive the postings of a comment from its item and its long body, None where it has none."""
    stems = stems_of_comment(item, body)
    if not stems:
        return []
    partitions = _partitions(item, stems, VERSION)
    # By these a search for several words filters the postings of one.
    digests = {digest_of(stem) for stem in stems}
    entry = {name: item[name] for name in ENTRY if name in item}
    entry[STEMS] = {"BS": sorted(digests)}
    # One entry for all: it has to fit behind the longest of their keys.
    longest_key = max(item_bytes({"pk": {"S": key}}) for key in partitions)
    shown = _fitted(entry, LARGEST_POSTING - longest_key)
    return [{"pk": {"S": key}, **shown} for key in partitions]


def older_names_of(item: Item, body: str | None) -> list[Name]:
    """Return the keys of the postings that a comment has in the version before, `OLDER`."""
    place = item[_PLACE]["S"]
    stems = stems_of_comment(item, body, OLDER)
    return [(key, place) for key in _partitions(item, stems, OLDER)]


def _partitions(item: Item, stems: Iterable[str], version: str) -> list[str]:
    """Return the partitions of a comment's postings; stems of one digest share one."""
    product_id, language = product_id_of(item), item[_LANGUAGE]["S"]
    is_hidden = not is_listed(item)
    partitions: dict[str, None] = {}
    for stem in stems:
        key = partition(product_id, language, stem, hidden=is_hidden, version=version)
        partitions[key] = None
    return list(partitions)


def _fitted(entry: Item, most: int) -> Item:
    """Return an entry of at most so many bytes: where it has more, its longest texts are cut."""
    if item_bytes(entry) <= most:
        return entry
    without_reply = _as_excerpt(_without(entry, _REPLY))
    # A reply and the user's id are left out only where the texts had too little room with them.
    for shown in (entry, without_reply, _without(without_reply, _USER_ID)):
        texts = _texts_of(shown)
        lengths = [len(text.encode()) for text in texts.values()]
        room = most - item_bytes(_with_texts(shown, dict.fromkeys(texts, "")))
        worth_showing = [min(length, _WORTH_SHOWING) for length in lengths]
        if room >= sum(worth_showing):
            break
    longest = _length_that_fits(lengths, room)
    for name, text in texts.items():
        texts[name] = _cut(text, longest)
    return _with_texts(shown, texts)


def _texts_of(entry: Item) -> dict[str, str]:
    """Return the texts of an entry that may be cut, by their attributes."""
    texts: dict[str, str] = {}
    for name in (_AUTHOR, _TITLE, _TEXT):
        if name in entry:
            texts[name] = entry[name]["S"]
    if _REPLY in entry:
        texts[_REPLY] = entry[_REPLY]["M"][_REPLY_TEXT]["S"]
    return texts


def _with_texts(entry: Item, texts: Mapping[str, str]) -> Item:
    """Return an entry with its texts replaced by shorter ones, and marked as an excerpt."""
    whole_texts = _texts_of(entry)
    changed = {name: text for name, text in texts.items() if text != whole_texts[name]}
    shown = entry
    # A reply has a mark of its own.
    shortened_reply = changed.pop(_REPLY, None)
    if shortened_reply is not None:
        reply = entry[_REPLY]["M"]
        excerpt_of_reply = {_REPLY_TEXT: {"S": shortened_reply}, LONG_REPLY: {"BOOL": True}}
        shown = {**shown, _REPLY: {"M": {**reply, **excerpt_of_reply}}}
    if changed:
        shown = _as_excerpt(shown)
    shortened = {name: {"S": text} for name, text in changed.items()}
    return {**shown, **shortened}


def _as_excerpt(entry: Item) -> Item:
    """Return an entry with the mark of a comment that is longer than what lists show of it."""
    text = entry.get(_TEXT, _NOTHING)["S"]
    return {_BODY_BYTES: {"N": str(len(text.encode()))}, **entry}


def _without(entry: Item, attribute: str) -> Item:
    return {name: value for name, value in entry.items() if name != attribute}


def _length_that_fits(lengths: Iterable[int], room: int) -> int:
    """Return the length to cut the longer ones of some texts to, so that all have room together."""
    shortest_first = sorted(lengths)
    for done, length in enumerate(shortest_first):
        share = room // (len(shortest_first) - done)
        if length > share:
            return share
        room -= length
    return max(shortest_first, default=0)


def _cut(text: str, longest: int) -> str:
    """Cut a text of more than so many bytes, the ellipsis among them."""
    if len(text.encode()) <= longest:
        return text
    return excerpt(text, most=longest - _ELLIPSIS)
