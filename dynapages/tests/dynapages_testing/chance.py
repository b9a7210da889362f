"""Names that no other test has, and how many examples a test tries."""

from uuid import uuid4

from hypothesis import settings

EXAMPLES, THOROUGH_EXAMPLES = 25, 100


def unique(kind: str) -> str:
    """An id that no other test has, in this run and any other: ``counter-5d9c73508459``."""
    return f"{kind}-{uuid4().hex[:12]}"


def examples(thorough: int) -> int:
    """How many examples a costly test tries: so many in a thorough run, else a quarter."""
    return max(1, thorough * settings.default.max_examples // THOROUGH_EXAMPLES)
