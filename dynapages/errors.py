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
    ├── EngineLacksKeys             index_keys.py: an engine without keys of several attributes
    ├── Refusal                     django/refusals.py: a request that is not allowed
    │   ├── TooManyRequests         too often: come back later
    │   ├── ScopeNeeded             a key of an API that may be used for less
    │   ├── BadCursor               django/paging.py: a link to a page of another list, or altered
    │   ├── BadJSON                 ninja/strict.py: a body that is no JSON
    │   ├── UnsupportedMediaType    a body that is a form
    │   ├── UnsupportedEncoding     a body that is compressed
    │   └── VersionNeeded           ninja/versions.py: a change that does not say of which version
    ├── ConditionFailed             writes/transactions.py: what was read has changed since
    ├── NoSuchCounter               writes/counters.py: nobody has begun it, or it was deleted
    ├── TooExpensive                calls/costs.py: a block that cost more than a test allows
    ├── BatchIncomplete             calls/batches.py: writes or reads left over after the last retry
    ├── NotConnected                process.py: a client was needed before the first `connect`
    ├── NoStream                    streams/walk.py: the table has no stream
    ├── Postponed                   work/queues.py: raised by a handler of yours, see there
    ├── AnotherRun                  upkeep/migrations.py: another process runs the same step
    └── EngineError                 engine/child.py: the embedded engine could not start, or died
        ├── PortInUse               another program listens on its port
        ├── EngineDied              engine/server.py: its process ended by itself
        ├── EngineSilent            its process runs but does not answer
        ├── BinaryMissing           dynoxide is not installed
        ├── NoEngine                neither dynoxide nor moto is installed
        ├── EngineAway              engine/proxy.py: the engine behind a proxy does not answer
        └── ReplicaFailed           engine/replica.py: the engine that lags refused a copy

Wrong arguments are a ValueError or a TypeError, as in Python.
"""


class DynamoError(Exception):
    """Base of every exception of this library; its text is one sentence to show to a person."""


def gettext_noop(sentence: str) -> str:
    """Return a sentence as it is, and mark it for the translators.

    This library knows no language: whoever shows an error looks its sentence up.
    """
    return sentence
