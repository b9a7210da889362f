"""A DynamoDB on this machine, as a child process: for trials, development and tests.

    with embedded(folder=checkout, db_path=checkout / "var" / "shop.db") as engine:
        print(engine.endpoint_url)

It is dynoxide if its binary is installed, else moto's server, which keeps data in memory only.
On Linux no engine outlives the process that started it, however that one ends.
"""

from dynamo.engine.child import LOOPBACK, Child, EngineError, PortInUse, free_port
from dynamo.engine.lock import FileBusy, FileLock
from dynamo.engine.server import (
    BinaryMissing,
    DamagedFile,
    DynoxideEngine,
    EngineDied,
    EngineServer,
    EngineSilent,
    MotoEngine,
    embedded,
    find,
)

__all__ = [
    "LOOPBACK",
    "BinaryMissing",
    "Child",
    "DamagedFile",
    "DynoxideEngine",
    "EngineDied",
    "EngineError",
    "EngineServer",
    "EngineSilent",
    "FileBusy",
    "FileLock",
    "MotoEngine",
    "PortInUse",
    "embedded",
    "find",
    "free_port",
]
