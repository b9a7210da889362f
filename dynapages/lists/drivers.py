"""Drivers: they make the reads of each round, whose code makes no call, by threads or awaited.

Both hold the time budget: no read begins when it is spent, and none is waited for any longer.
"""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from inspect import isawaitable
from math import isinf
from typing import Any, TypeVar

from dynapages.calls.meter import join_rounds
from dynapages.calls.pool import OutOfTime, Pool, seconds_left
from dynapages.lists.merging import ReadRequest, Rounds
from dynapages.lists.runs import Chunk, Source

T = TypeVar("T")


def drive(rounds: Rounds[T], source: Source, pool: Pool, *, in_threads: bool = False) -> T:
    """Make the reads of each round in parallel, and return the result.

    A read that is alone in its round is made in this thread, or in one of the pool ``in_threads``:
    a client that knows of no time budget is then left behind when that is spent. Raises OutOfTime,
    and what the source raises.
    """
    try:
        wanted = next(rounds)
        while True:
            calls = [partial(_read, source, each) for each in wanted]
            if in_threads and len(calls) == 1:
                with pool.together() as together:
                    chunks = [together.start(calls[0]).result()]
            else:
                chunks = pool.gather(calls)
            wanted = rounds.send(chunks)
    except StopIteration as stop:
        result: T = stop.value
        return result


def _read(source: Source, wanted: ReadRequest) -> Chunk:
    if not seconds_left():
        raise OutOfTime
    return source.query(
        wanted.run, behind=wanted.behind, limit=wanted.limit, ascending=wanted.ascending
    )


async def adrive(rounds: Rounds[T], source: Source) -> T:
    """Make the reads of each round at once in tasks, and return the result.

    The source's ``aquery`` is used where it has one, else its ``query``, which may be awaited.
    """
    try:
        wanted = next(rounds)
        while True:
            wanted = rounds.send(await _gather(source, wanted))
    except StopIteration as stop:
        result: T = stop.value
        return result


async def _gather(source: Source, wanted: Sequence[ReadRequest]) -> Sequence[Chunk]:
    import asyncio  # noqa: PLC0415 - programs without it need not wait for it

    left = seconds_left()
    if not left:
        raise OutOfTime
    contexts = [copy_context() for _ in wanted]  # each read counts the rounds of its own calls
    loop = asyncio.get_running_loop()
    tasks = [
        loop.create_task(_aread(source, each), context=context)
        for each, context in zip(wanted, contexts, strict=True)
    ]
    try:
        async with asyncio.timeout(None if isinf(left) else left) as limit:
            chunks = await asyncio.gather(*tasks)
    except TimeoutError:
        if limit.expired():
            raise OutOfTime from None
        raise
    finally:
        for task in tasks:
            task.cancel()
    for context in contexts:
        join_rounds(context)
    return chunks


async def _aread(source: Source, wanted: ReadRequest) -> Chunk:
    query: Callable[..., Any] = getattr(source, "aquery", source.query)
    found: Any = query(
        wanted.run, behind=wanted.behind, limit=wanted.limit, ascending=wanted.ascending
    )
    chunk: Chunk = await found if isawaitable(found) else found
    return chunk
