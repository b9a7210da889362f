"""Clients of the benchmarks, as users of Locust, which `lab.load.running` starts.

Each asks for the paths of ``--paths`` in turn, from a place of its own on. An answer 503 counts as
"… (refused)"; any other but a page is a failure.
"""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from itertools import count, cycle
from pathlib import Path
from random import Random
from time import time
from typing import Any

import gevent
from locust import constant, constant_pacing, events, task
from locust.contrib.fasthttp import FastHttpUser
from locust.env import Environment
from locust.exception import StopUser

PATIENCE = 15.0
REFUSED = 503
READING = 0.25
"""Seconds for which a reader looks at a page."""
BETWEEN_CHECKS = 0.1
IDLE = 0.5
"""Seconds after which a free connection is not used: gunicorn closes it after 2, unasked."""
LOGIN = "/accounts/login/"
CSRF = "t" * 32
"""A CSRF token: the cookie and the field have to agree, whatever it is."""


@events.init_command_line_parser.add_listener
def add_options(parser: ArgumentParser) -> None:
    """Add the options of this file."""
    parser.add_argument("--paths", type=Path, help="a file with a JSON array")
    parser.add_argument("--for-seconds", type=float, default=0.0, help="0 is until they end")
    parser.add_argument("--rate", type=float, default=1.0, help="of one arriving client, a second")
    parser.add_argument("--password", default="", is_secret=True)


@events.test_start.add_listener
def end_in_time(environment: Environment, **_: object) -> None:
    """Let everybody finish what they do when the time is over."""
    if seconds := environment.parsed_options.for_seconds:
        gevent.spawn_later(seconds, environment.runner.quit)


class Client(FastHttpUser):
    """Somebody with a number, who asks for pages."""

    abstract = True
    network_timeout = connection_timeout = PATIENCE
    numbers = count()
    taken = count()

    def on_start(self) -> None:
        self.number, self.asked = next(self.numbers), time()
        self.rng = Random(self.number)  # noqa: S311 - repeatable
        self.paths = json.loads(self.options.paths.read_text())
        start = self.number * len(self.paths) // self.options.num_users if self.paths else 0
        self.turn = cycle((*self.paths[start:], *self.paths[:start]))

    @property
    def options(self) -> Any:  # noqa: ANN401 - argparse's
        return self.environment.parsed_options

    def ask(
        self,
        name: str,
        path: str,
        *,
        due: float | None = None,
        typed: Mapping[str, str] | None = None,
        address: str = "127.0.0.1",
    ) -> float:
        """Ask for a page, or send a form; return the seconds of ``Retry-After``.

        Times count from when it was due. ``address`` is the visitor's.
        """
        if time() - self.asked > IDLE:
            self.client.client.clientpool.close()  # the next request opens it
        headers, body = {"X-Forwarded-For": address}, None
        if typed is not None:
            headers |= {"Cookie": f"csrftoken={CSRF}"}
            body = {**typed, "csrfmiddlewaretoken": CSRF}
        with self.client.request(
            "GET" if body is None else "POST",
            path,
            name=name,
            data=body,
            headers=headers,
            allow_redirects=False,
            catch_response=True,
        ) as response:
            if due is not None:
                response.request_meta["response_time"] = 1000 * (time() - due)
            if response.status_code == REFUSED:
                response.request_meta["name"] = f"{name} (refused)"
            elif response.status_code not in {200, 302}:
                response.failure(f"{response.status_code} {response.error}")
                return 0.0
            response.success()
        self.asked = time()
        return float((response.headers or {}).get("Retry-After", 0))


class Waiting(Client):
    """Asks for the next page as soon as the last one has come."""

    @task
    def read(self) -> None:
        self.ask("page", next(self.turn))


class Once(Client):
    """Asks for pages that nobody has asked for, until there are none."""

    @task
    def read(self) -> None:
        number = next(self.taken)
        if number >= len(self.paths):
            gevent.spawn(self.environment.runner.quit)
            raise StopUser
        self.ask("page", self.paths[number])


class Arriving(Client):
    """Asks at random moments, ``--rate`` times a second on average, whenever answers come."""

    def on_start(self) -> None:
        super().on_start()
        self.due = time() + self.rng.expovariate(self.options.rate)

    def wait_time(self) -> float:
        return max(0.0, self.due - time())

    @task
    def read(self) -> None:
        if self.due > time():  # Locust begins with a task, and waits after it
            return
        due, self.due = self.due, self.due + self.rng.expovariate(self.options.rate)
        self.ask("page", next(self.turn), due=due)


class Reading(Waiting):
    """Asks for a page, and looks at it before the next one."""

    wait_time = constant(READING)


class Checking(Client):
    """Asks whether the site is up."""

    wait_time = constant_pacing(BETWEEN_CHECKS)

    @task
    def check(self) -> None:
        self.ask("health", "/healthz")


class SigningIn(Client):
    """Signs in, every second one by wrong names; waits as long as an answer says."""

    wait = 0.0

    def wait_time(self) -> float:
        return self.wait

    @task
    def sign_in(self) -> None:
        is_wrong = self.number % 2
        name = f"nobody-{self.rng.getrandbits(48):x}" if is_wrong else f"load-{self.number}"
        # From everywhere, so that the limits of an address are not what is measured.
        address = ".".join(str(self.rng.randrange(1, 255)) for _ in range(4))
        typed = {"username": name, "password": self.options.password}
        self.wait = self.ask("sign-in", LOGIN, typed=typed, address=address)
