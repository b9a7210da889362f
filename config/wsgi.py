"""The WSGI application. With a wrong setting the server exits, with one line for each error."""

import os
import sys

from django.core.checks import run_checks
from django.core.wsgi import get_wsgi_application

from config.starting import start_errors
from dynamo.web.shedding import Shedding, WithoutBodies

# gunicorn's exit code for an application that cannot be loaded: with others it would retry.
CANNOT_LOAD = 4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
site = get_wsgi_application()

if errors := [message for message in run_checks() if message.is_serious()] or start_errors():
    for error in errors:
        sys.stderr.write(f"{error.id}: {error.msg} {error.hint or ''}\n")
    raise SystemExit(CANNOT_LOAD)

application = WithoutBodies(Shedding(site))
