"""Chance that repeats: what a test draws follows from its name, so a failure comes again.

With ``--explore`` every run draws anew, and hypothesis tries examples it has not tried before.
With ``--thorough`` (.ci/nightly) hypothesis tries four times as many.
"""

import random
from random import Random

import pytest
from hypothesis import settings

CHANCE = Random()

EXAMPLES, THOROUGH_EXAMPLES = 25, 100

_tries = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dynashop")
    group.addoption(
        "--explore", action="store_true", help="draw other examples and ids than the last time"
    )
    group.addoption(
        "--thorough", action="store_true", help="more examples, and a failure at every call"
    )


def pytest_configure(config: pytest.Config) -> None:
    explore = config.getoption("--explore")
    # How long an example takes depends on what else the machine does.
    settings.register_profile(
        "dynashop",
        deadline=None,
        derandomize=not explore,
        max_examples=THOROUGH_EXAMPLES if config.getoption("--thorough") else EXAMPLES,
    )
    settings.load_profile("dynashop")


def is_thorough() -> bool:
    """Whether the tests run with ``--thorough``."""
    return settings.default.max_examples == THOROUGH_EXAMPLES


def examples(thorough: int) -> int:
    """How many examples a costly test tries: so many with ``--thorough``, else a quarter."""
    return max(1, thorough * settings.default.max_examples // THOROUGH_EXAMPLES)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    explore = item.config.getoption("--explore")
    tried = item.stash.get(_tries, 0)
    item.stash[_tries] = tried + 1
    # Other ids on another try: the module's tables still hold what the first one left.
    name = item.nodeid + " again" * tried
    for source in (CHANCE, random):  # the code under test draws from the second
        source.seed(None if explore else name)


def unique(kind: str) -> str:
    """An id that no other test has: ``product-5d9c73508459``."""
    return f"{kind}-{CHANCE.getrandbits(48):012x}"


def digits(count: int) -> str:
    """So many digits, which no other test should have drawn."""
    return f"{CHANCE.randrange(10**count):0{count}}"
