"""A DynamoDB on this machine, as a child process: for trials, development and tests.

    with embedded(folder=checkout, db_path=checkout / "var" / "shop.db") as engine:
        print(engine.endpoint_url)

It is dynoxide if its binary is installed, else moto's server, which keeps data in memory only.
On Linux no engine outlives the process that started it, however that one ends.
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
    """Return dynoxide if it is installed, else moto's server; not yet started.

    ``folder`` is where npm installed; ``db_path`` is dynoxide's data file (None: in memory). The
    engine's ``keeps_data`` is whether data outlives it.
    """
    binary = find(folder)
    if binary is None:
        return MotoEngine()
    return DynoxideEngine(binary=binary, db_path=db_path)
