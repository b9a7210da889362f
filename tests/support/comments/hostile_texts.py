"""Comments whose words and texts are as dear as they can be, and strategies that draw such."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import strategies as st

from comments.data.rows import LONGEST_LINE_OF_TEXT
from comments.data.values import LONGEST_ID, LONGEST_USER_ID
from comments.items import NewComment, NewReply
from comments.posting.forms import LONGEST_TITLE
from comments.replies.services import LONGEST_REPLY
from tests.support.comments.truth import START

LONG_LETTER = "\U00010330"
"""Gothic ahsa: four bytes."""


def letters(first: int, last: int, number: int, *, length: int) -> str:
    rng = Random(f"{first} {number}")
    return "".join(chr(rng.randint(first, last)) for _ in range(length))


def with_marks(word: str, marks: str) -> str:
    return "".join(letter + marks for letter in word)


SCRIPTS = {
    "Latin": lambda n: letters(0x61, 0x7A, n, length=38),
    "Cyrillic": lambda n: letters(0x430, 0x44F, n, length=38),
    "Gothic": lambda n: letters(0x10330, 0x10340, n, length=38),
    "Adlam": lambda n: letters(0x1E900, 0x1E943, n, length=38),
    "Deseret": lambda n: letters(0x10400, 0x1044F, n, length=38),
    "Arabic with marks": lambda n: with_marks(letters(0x641, 0x64A, n, length=13), "\u064e\u0651"),
    "Chinese": lambda n: letters(0x4E00, 0x9FA5, n, length=2),
    "rare Chinese": lambda n: letters(0x20000, 0x2A6D0, n, length=2),
    "Thai": lambda n: letters(0x0E01, 0x0E2E, n, length=2),
    "Thai with marks": lambda n: with_marks(letters(0x0E01, 0x0E2E, n, length=2), "\u0e48" * 18),
    "emoji": lambda n: f"👩🏽\u200d🚀{letters(0x10330, 0x10340, n, length=20)}😀",
}
"""A long word of each by its number."""
MIXED = "mixed"


def word(script: str, number: int) -> str:
    every = [*SCRIPTS]
    return SCRIPTS[every[number % len(every)] if script == MIXED else script](number)


def hostile(product_id: str, script: str, number: int = 0) -> NewComment:
    """The most that the form takes. Words 1 to 3 are those of all comments."""
    words = [1, 2, 3, *range(100 * number + 10, 100 * number + 80)]
    return NewComment(
        id=f"{product_id[-20:]}{number:06}",
        product_id=product_id,
        language="is",
        rating=5,
        created_at=START + timedelta(minutes=number),
        author="a" * 36,
        user_id="a" * 36,
        title=LONG_LETTER * LONGEST_TITLE,
        body=" ".join(word(script, n) for n in words),
    )


def as_imports_bring_it(comment: NewComment) -> NewComment:
    """The most that an import takes."""
    return replace(
        comment,
        id=comment.id.ljust(LONGEST_ID, LONG_LETTER),
        product_id=comment.product_id.ljust(LONGEST_ID, "p"),
        author="😀" * LONGEST_LINE_OF_TEXT,
        user_id=LONG_LETTER * LONGEST_USER_ID,
        title="😀" * LONGEST_LINE_OF_TEXT,
        reply=NewReply(LONG_LETTER * LONGEST_REPLY, replied_at=START),
    )


def as_forms_bring_it(comment: NewComment) -> NewComment:
    return comment


EVERY_SCRIPT = pytest.mark.parametrize("script", [*SCRIPTS, MIXED])
BOTH_WAYS = pytest.mark.parametrize("brought", [as_forms_bring_it, as_imports_bring_it])

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60)
LONG_TEXTS = st.builds(lambda text, times: text * times, TEXTS, st.sampled_from([1, 4, 40]))
BODIES = st.builds(
    lambda text, script, numbers: " ".join([text, *(word(script, n) for n in numbers)]),
    LONG_TEXTS,
    st.sampled_from([*SCRIPTS, MIXED]),
    st.lists(st.integers(0, 999), max_size=70),
)
REPLIES = st.none() | LONG_TEXTS.filter(len).map(lambda text: NewReply(text, START))
COMMENTS = st.builds(
    NewComment,
    id=TEXTS.filter(len).map(lambda text: (text * LONGEST_ID)[:LONGEST_ID]) | TEXTS.filter(len),
    product_id=st.sampled_from(["p", "p" * LONGEST_ID]),
    language=st.sampled_from(["de", "th", "zh", "ar", "xx"]),
    rating=st.integers(1, 5),
    created_at=st.just(START),
    author=LONG_TEXTS,
    user_id=LONG_TEXTS.map(lambda text: text[:LONGEST_USER_ID]),
    title=LONG_TEXTS,
    body=BODIES,
    verified=st.booleans(),
    reply=REPLIES,
)
