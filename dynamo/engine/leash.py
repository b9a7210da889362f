"""Runs a command that cannot outlive the process that started it: ``leash.py PARENT COMMAND…``.

A script of its own, not a ``preexec_fn``: that one runs Python between fork and exec, which is
unsafe once the parent has threads. The command replaces this process, so the pid stays the same.
Only Linux can send a signal when the parent dies; elsewhere the command simply runs.

The kernel counts the *thread* that started the process as its parent: start from one that stays.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def tie_to_parent(parent: int) -> None:
    """Have the kernel send SIGTERM when the parent dies; exit at once if it is dead."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    if sys.platform == "linux":
        tie_to_parent(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - no shell is wanted
