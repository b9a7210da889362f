"""The command ``python -m dynapages engine``, which runs an engine for development."""

import argparse
import signal
import time

from dynapages.engine.server import EngineServer, MotoEngine, embedded

DEFAULT_PORT = 8001
"""Beside that of Django's development server, 8000."""
CHECK_SECONDS = 1.0
MOTO_UNITS = "# It counts the same capacity units for each call; dynoxide counts as Amazon does."


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options that ``run_engine`` takes, and this as its ``run``."""
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"{DEFAULT_PORT} without it")
    parser.set_defaults(run=run_engine)


def run_engine(options: argparse.Namespace) -> int:
    """Run an engine until Ctrl-C or SIGTERM, and return the exit status.

    Raises EngineError: NoEngine, PortInUse, EngineSilent, or EngineDied also later.
    """
    # A script's shell has what it starts in the background ignore Ctrl-C.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    engine = embedded(port=options.port)
    try:
        with engine:
            print(greeting(engine), flush=True)
            while True:
                time.sleep(CHECK_SECONDS)
                engine.check()
    except KeyboardInterrupt:
        return 0


def greeting(engine: EngineServer) -> str:
    """Return what a shell needs to know of a running engine; all else is a comment to it."""
    lines = [
        f"# {engine.name} listens here until Ctrl-C, and keeps its data in memory.",
        "# What uses it needs these lines in its shell:",
        f"export DYNAMODB_ENDPOINT_URL={engine.endpoint_url}",
        "export AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any AWS_DEFAULT_REGION=us-east-1",
    ]
    if isinstance(engine, MotoEngine):
        lines.insert(1, MOTO_UNITS)
    return "\n".join(lines)
