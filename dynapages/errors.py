"""The base class of this library's exceptions.

The tree, each class with the module that raises it::

    DynamoError
    ├── BadToken                  lists/tokens.py: not a position token of this list
    │   ├── DamagedToken            altered, truncated, signed with another key, or no token at all
    │   └── ForeignToken            genuine, but made for another list
    ├── Unavailable                 calls/faults.py: the database did not answer as it should
    │   ├── Throttled               over its capacity: come back later
    │   │   └── Contended           writes/transactions.py: other writers kept winning
    │   ├── Unreachable             away, or too slow
    │   │   └── Damaged             calls/transport.py: an answer that is not as it was sent
    │   ├── Unauthorized            the server's credentials or its clock are wrong
    │   ├── NotSetUp                a table or index is missing
    │   ├── EngineTooOld            an engine that takes fewer actions in a transaction
    │   └── TableDiffers            tables.py: a table exists with other keys or indexes
    ├── OutOfTime                   calls/pool.py: the time of a request is spent; Unreachable
    ├── TableNotReady               tables.py: not active within the time limit
    ├── Refusal                     django/refusals.py: a request that is not allowed
    │   └── TooManyRequests         too often: come back later
    ├── ConditionFailed             writes/transactions.py: what was read has changed since
    ├── NoSuchCounter               writes/counters.py: nobody has begun it, or it was deleted
    ├── TooExpensive              calls/costs.py: a block that cost more than a test allows
    ├── BatchIncomplete             calls/batches.py: writes or reads left over after the last retry
    ├── NoStream                    streams/walk.py: the table has no stream
    ├── AnotherRun                  upkeep/migrations.py: another process runs the same step
    └── EngineError                 engine/child.py: the embedded engine could not start, or died
"""


class DynamoError(Exception):
    """Base of every exception of this library; its text is one sentence to show to a person."""


def gettext_noop(sentence: str) -> str:
    """Return a sentence as it is, and mark it for the translators.

    This library knows no language: whoever shows an error looks its sentence up.
    """
    return sentence
