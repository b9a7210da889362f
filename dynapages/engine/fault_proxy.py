"""A proxy before an engine, which behaves like Amazon's on a bad day.

The engines of tests never fail, never throttle, never conflict and never lag. Behind this proxy
calls meet faults: exactly those of its `Rule` list, and others at random, by a seed. Transactions
may hold their items for a while, so that those that meet are cancelled. Eventual reads may lag, see
`dynapages.engine.lag`.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from random import Random
from threading import Lock
from time import sleep
from typing import Any, Self

from dynapages.engine.faults import (
    DAMAGED_BODIES,
    OPERATIONS_WITH,
    RANDOM_FAULTS,
    Fault,
    batch_answer,
    can_meet,
    halves,
    refusal_by,
    spoiled,
)
from dynapages.engine.lag import Lag
from dynapages.engine.proxy import Answer, Call, Proxy
from dynapages.engine.transaction_locks import TransactionLocks

FIRST_ACTION = (0,)
"""Which action of a transaction is the reason where no rule says it."""


@dataclass(slots=True)
class Rule:
    """A fault that certain calls meet.

    They are the calls of ``operation`` and about ``table``, where these are given, for whose
    parameters ``when`` returns true. The first ``skip`` of them are spared, and after ``times``
    the rule is over; without ``times`` it never is. ``actions`` are the indexes of a transaction's
    actions that are reasons of its cancellation; -1 is the last. ``fired`` counts the calls that
    met the fault, ``matched`` the spared ones too.
    """

    fault: Fault
    operation: str | None = None
    table: str | None = None
    when: Callable[[Mapping[str, Any]], bool] | None = None
    times: int | None = None
    skip: int = 0
    actions: Collection[int] = FIRST_ACTION
    fired: int = field(init=False, default=0)
    matched: int = field(init=False, default=0)

    def matches(self, call: Call) -> bool:
        """Return whether this is one of its calls."""
        if self.operation not in {None, call.operation} or not can_meet(self.fault, call.operation):
            return False
        if self.table is not None and self.table not in call.tables():
            return False
        return self.when is None or self.when(call.request)

    def fires(self) -> bool:
        """Count a call that matches; return whether it meets the fault."""
        if self.times is not None and self.fired >= self.times:
            return False
        self.matched += 1
        if self.matched <= self.skip:
            return False
        self.fired += 1
        return True


@dataclass(slots=True, kw_only=True, repr=False)
class FaultProxy(Proxy):
    """A proxy whose calls meet faults: those of ``rules``, and others at random.

    The first rule that fires counts. Any other call meets one of ``kinds`` with the probability
    ``rate``, 0 to 1, drawn from ``seed``; without ``kinds``, any but ``dripping`` and ``expired
    token``. Transactions take ``lock_seconds`` longer, and then conflict with others of the same
    items; a second attempt meanwhile meets a TransactionInProgressException. ``lag`` says how far
    eventual reads are behind, ``call_seconds`` how much longer each call takes. All of these may be
    changed at any time. ``met`` counts the faults by (fault, operation).

    Within its ``with`` block, which raises EngineError where the lag needs an engine and none can
    start, clients reach it at ``endpoint_url``::

        with FaultProxy(engine.endpoint_url) as proxy:
            proxy.rules.append(Rule("reset after", operation="PutItem", times=1))
    """

    rules: list[Rule] = field(default_factory=list)
    lag: Lag = field(default_factory=Lag)
    rate: float = 0.0
    kinds: Sequence[Fault] = ()
    seed: int = 0
    lock_seconds: float = 0.0
    call_seconds: float = 0.0
    stall_seconds: float = 20.0
    drip_seconds: float = 0.5
    bodies: Sequence[bytes] = DAMAGED_BODIES
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    _random: Random = field(init=False)
    _guard: Lock = field(init=False, default_factory=Lock)
    _locks: TransactionLocks = field(init=False, default_factory=TransactionLocks)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)  # noqa: S311 - repeatable, nothing secret

    def __repr__(self) -> str:
        met = self.met.total()
        return f"<FaultProxy of {self.upstream}, rules: {len(self.rules)}, faults met: {met}>"

    def __enter__(self) -> Self:
        self.lag.open(self.upstream)
        # A dataclass with slots is a class of its own, which super() does not know.
        return super(FaultProxy, self).__enter__()

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        try:
            super(FaultProxy, self).__exit__(kind, *raised)
        finally:
            self.lag.close()

    def answer(self, call: Call) -> Answer | None:
        """Return what a call is answered, with its fault; None where there is no answer."""
        if self.call_seconds:
            self.is_over.wait(self.call_seconds)
        rule = self._rule_that_fires(call)
        fault = rule.fault if rule else self._random_fault(call.operation)
        if fault is None:
            return self._carry_out(call)
        with self._guard:
            self.met[fault, call.operation] += 1
        if fault == "stalled":
            self.is_over.wait(self.stall_seconds)
        if fault in {"stalled", "reset before"}:
            return None
        if fault == "unprocessed":
            return batch_answer(call, call.request["RequestItems"])
        if fault == "partly unprocessed":
            return self._carry_out_half(call)
        refused = refusal_by(fault, call, rule.actions if rule else FIRST_ACTION)
        if refused:
            return refused
        return self._spoiled(self._carry_out(call), fault)

    def _rule_that_fires(self, call: Call) -> Rule | None:
        """Return the first rule by which this call meets a fault; None if none fires."""
        for rule in tuple(self.rules):
            # A predicate is not called under the lock: it may wait for another call.
            if rule.matches(call):
                with self._guard:
                    if rule.fires():
                        return rule
        return None

    def _random_fault(self, operation: str) -> Fault | None:
        """Draw whether a call meets a fault, and which; None if it meets none."""
        with self._guard:
            if self._random.random() >= self.rate:
                return None
            kinds = [kind for kind in self.kinds or RANDOM_FAULTS if can_meet(kind, operation)]
            return self._random.choice(kinds) if kinds else None

    def _spoiled(self, answer: Answer, fault: Fault) -> Answer | None:
        """Return an answer as it arrives with a fault; None where it is lost."""
        damaged_body = b""
        if fault == "damaged":
            with self._guard:
                damaged_body = self._random.choice(self.bodies)
        return spoiled(answer, fault, drip_seconds=self.drip_seconds, damaged_body=damaged_body)

    # What is carried out

    def _carry_out(self, call: Call) -> Answer:
        """Send a call on to the engine, while a transaction holds its items."""
        if not self.lock_seconds or call.operation not in OPERATIONS_WITH["conflict"]:
            return self.lag.send(call)
        with self._locks.held_by(call) as refused:
            if refused:
                return refused
            if call.operation == "TransactWriteItems":
                sleep(self.lock_seconds)
            return self.lag.send(call)

    def _carry_out_half(self, call: Call) -> Answer:
        """Carry out the first half of a batch, and answer that the rest is unprocessed."""
        first, rest = halves(call.request["RequestItems"])
        if not first:
            return batch_answer(call, rest)
        # The engine sees a batch of the first half alone.
        body = json.dumps({**call.request, "RequestItems": first}).encode()
        answer = self._carry_out(replace(call, body=body))
        if answer.status != HTTPStatus.OK:
            return answer
        return batch_answer(call, rest, answer)
