"""The base of what the embedded engine raises."""

from dynamo.errors import DynamoError


class EngineError(DynamoError):
    """The engine could not start, or died.

    ::

        EngineError
        ├── PortInUse        ports.py
        ├── FileBusy         lock.py: another process has the data file open
        ├── BinaryMissing    dynoxide.py: not installed
        ├── DamagedFile      dynoxide.py: not a database, or a broken one
        ├── EngineDied       server.py: ended by itself; the text has its last line
        └── EngineSilent     server.py: runs, but did not answer in time
    """
