"""A DynamoDB on this machine, as a child process: for a try-out, for development, for tests.

    with embedded(folder=checkout, db_path=checkout / "var" / "shop.db") as engine:
        print(engine.endpoint_url)

dynoxide where its binary is installed; moto's server, in memory only, where it is not.
No engine outlives the process that started it, however that one ends (on Linux).
"""

from pathlib import Path

from dynamo.engine.dynoxide import BinaryMissing, DamagedFile, DynoxideEngine, find
from dynamo.engine.errors import EngineError
from dynamo.engine.lock import FileBusy
from dynamo.engine.moto import MotoEngine
from dynamo.engine.ports import PortInUse
from dynamo.engine.server import EngineDied, EngineServer, EngineSilent

__all__ = [
    "BinaryMissing",
    "DamagedFile",
    "DynoxideEngine",
    "EngineDied",
    "EngineError",
    "EngineServer",
    "EngineSilent",
    "FileBusy",
    "MotoEngine",
    "PortInUse",
    "embedded",
    "find",
]


def embedded(*, folder: Path, db_path: Path | None = None) -> EngineServer:
    """The best engine of this machine, not yet started.

    ``folder`` is where npm installed; ``db_path`` is where dynoxide keeps its data (None: in
    memory). Look at ``keeps_data`` to tell the user what will become of it.
    """
    binary = find(folder)
    if binary is None:
        return MotoEngine()
    return DynoxideEngine(binary=binary, db_path=db_path)
