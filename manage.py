#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> int:
    """Run a command; a problem of the environment ends in one line, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line  # noqa: PLC0415 - may fail
    except ModuleNotFoundError as missing:
        return _fail(f"{missing}: run this with .venv/bin/python, which 'make install' prepares.")
    from dynapages.errors import DynamoError  # noqa: PLC0415 - only after the line above

    try:
        execute_from_command_line(sys.argv)
    except DynamoError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has seen enough, such as "head". What is still buffered has no reader either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
