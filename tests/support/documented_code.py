"""The code blocks of documents, followed as a reader would follow them.

Behind the language of a block stands the file that it is for: `` ```python mysite/urls.py ``. A
block of ``text`` has commands.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template

from tests.support.project import PROJECT

FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {
    "python": [sys.executable],
    "django-admin": [sys.executable, "-m", "django"],
    "cp": ["cp"],
    "mkdir": ["mkdir"],
    "pip": [sys.executable, "-m", "pip"],
}


def follow(
    document: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    since: str = "",
    until: str | None = None,
    instead: Mapping[str, str] | None = None,
) -> None:
    """Follow a document below ``docs/`` in a folder: write its files, run its commands.

    With no environment no command is run. ``since`` and ``until`` are headings that bound the part
    that is followed. ``instead`` has other words for some of the document.
    """
    text = (PROJECT / "docs" / document).read_text()
    assert since in text
    assert (until or "") in text
    text = text[text.index(since) :].partition(until or "\0")[0]
    for words, others in (instead or {}).items():
        assert words in text
        text = text.replace(words, others)
    for language, file, code in FENCE.findall(text):
        if file:
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as end:
                end.write(f"\n{code}")
        elif language == "text" and environment:
            for line in code.splitlines():
                run(line, folder, environment)


def run(line: str, folder: Path, environment: Mapping[str, str], *, fails: bool = False) -> str:
    """Run a command of a project, and return what it prints; programs of others are left out.

    Of one that ``fails``, return what it says of that.
    """
    program, *arguments = shlex.split(Template(line).safe_substitute(environment))
    if program not in PROGRAMS:
        return ""
    ended = subprocess.run(
        [*PROGRAMS[program], *arguments],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(ended.returncode) is fails, f"{line}\n{ended.stdout}{ended.stderr}"
    return ended.stderr if fails else ended.stdout
