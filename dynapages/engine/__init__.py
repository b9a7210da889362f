"""A DynamoDB on this machine, as a child process: for trials, development and tests.

It is dynoxide if its binary is installed, else moto's server, which keeps data in memory only.
On Linux no engine outlives the process that started it, however that one ends. `FaultProxy` lets
it fail and lag as Amazon's does.

What is public is here. Other names of these modules serve this project's own commands and tests.
"""

from dynapages.engine.child import EngineError, PortInUse
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.engine.lag import Lag
from dynapages.engine.server import EngineDied, EngineSilent, NoEngine, embedded

__all__ = [
    "EngineDied",
    "EngineError",
    "EngineSilent",
    "FaultProxy",
    "Lag",
    "NoEngine",
    "PortInUse",
    "Rule",
    "embedded",
]
