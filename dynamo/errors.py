"""The one base class of what this library raises.

The tree, each class beside the function that raises it::

    DynamoError
    ├── TokenError                  tokens.py: not a position token of this list
    │   ├── DamagedToken            altered, truncated, signed with another key, or no token at all
    │   └── ForeignToken            genuine, but made for another list
    ├── Unavailable                 faults.py: the database did not answer as it should
    │   ├── Throttled               over its capacity: come back later
    │   │   └── Contended           transactions.py: other writers kept winning
    │   ├── Unreachable             away, or too slow
    │   └── NotSetUp                a table or index is missing
    ├── TableDiffers                tables.py: a table exists with keys that cannot be changed
    ├── TableNotReady               tables.py: not active within the time limit
    ├── Refusal                     web/refusals.py: what a visitor asked for is not allowed
    │   └── TooManyRequests         too often: come back later
    ├── ConditionFailed             transactions.py: what was read has changed since
    ├── BatchIncomplete             batches.py: writes or reads left over after the last retry
    ├── NoStream                    streams.py: the table has no stream
    └── EngineError                 engine/: the embedded engine could not start, or died
"""


class DynamoError(Exception):
    """Base of every exception of this library; its text is one sentence for a person."""
