"""Put faults into each part of .ci/mutants.toml with Cosmic Ray, and report those that survive."""

import argparse
import random
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkerOutcome, WorkItem, WorkResult

PARTS = Path(".ci/mutants.toml")
SAMPLE_SIZE = 20
# A fault may make a walk endless.
TIMEOUT_SECONDS = 120
# These change annotations ("int | None"), or what a decorator alone does for speed.
WITHOUT_EFFECT = ("core/ReplaceBinaryOperator_BitOr_", "core/RemoveDecorator")
CONFIGURATION = """\
[cosmic-ray]
module-path = {modules}
timeout = {timeout}
excluded-modules = []
test-command = {command}

[cosmic-ray.distributor]
name = "local"
"""


def parsed_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="the Python that runs the tests")
    parser.add_argument("--sample", type=int, default=SAMPLE_SIZE, help="faults a part; 0: all")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts of .ci/mutants.toml")
    return parser.parse_args()


def run_tool(*arguments: str) -> None:
    """Run Cosmic Ray. Raises CalledProcessError, after it has printed what is wrong."""
    subprocess.run([sys.executable, "-m", "cosmic_ray.cli", *arguments], check=True)


def place_in_code(item: WorkItem) -> tuple[str, tuple[int, int], str, int]:
    """Return what orders faults as they follow each other in the code."""
    fault = item.mutations[0]
    return str(fault.module_path), fault.start_pos, fault.operator_name, fault.occurrence


def choose_faults(database: WorkDB, size: int, chance: random.Random) -> None:
    """Mark as skipped the faults that change nothing, and those outside the sample."""
    candidates: list[WorkItem] = []
    skipped: list[str] = []
    for item in database.pending_work_items:
        if item.mutations[0].operator_name.startswith(WITHOUT_EFFECT):
            skipped.append(item.job_id)
        else:
            candidates.append(item)
    # The numbers of jobs are random: one seed must choose the same faults each time.
    candidates.sort(key=place_in_code)
    if size and len(candidates) > size:
        chance.shuffle(candidates)
        skipped += [item.job_id for item in candidates[size:]]
    database.set_multiple_results(skipped, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


def try_part(name: str, part: dict[str, list[str]], options: argparse.Namespace) -> tuple[int, int]:
    """Return how many faults were tried, and how many of them no test noticed."""
    command = [options.python, "-m", "pytest", "--engine=dynoxide", "-q", "-x", "-n", "0"]
    command += part["tests"]
    configuration, session = Path(f"{name}.toml"), Path(f"{name}.sqlite")
    configuration.write_text(
        CONFIGURATION.format(
            modules=part["modules"], timeout=TIMEOUT_SECONDS, command=repr(shlex.join(command))
        )
    )
    run_tool("baseline", str(configuration))
    run_tool("init", str(configuration), str(session))
    with use_db(session, WorkDB.Mode.open) as database:
        chance = random.Random(f"{options.seed} {name}")  # noqa: S311 - a sample is no secret
        choose_faults(database, options.sample, chance)
    run_tool("exec", str(configuration), str(session))
    with use_db(session, WorkDB.Mode.open) as database:
        return report(name, database)


def report(name: str, database: WorkDB) -> tuple[int, int]:
    """Print the faults that survived; return how many were tried, and how many survived."""
    tried, survivors = 0, []
    for _job, result in database.results:
        if result.worker_outcome == WorkerOutcome.SKIPPED:
            continue
        tried += 1
        if not result.is_killed:
            survivors.append(result.diff)
    print(f"\n── {name}: {tried - len(survivors)} of {tried} faults were noticed", flush=True)
    for diff in survivors:
        print(diff, flush=True)
    return tried, len(survivors)


def main(options: argparse.Namespace) -> None:
    """Try the parts one after the other, and print the share of faults that were noticed."""
    parts = tomllib.loads(PARTS.read_text())
    unknown = set(options.parts) - parts.keys()
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: there are {', '.join(parts)}")
    print(f"--sample {options.sample} --seed {options.seed}", flush=True)
    tried = survived = 0
    for name in options.parts or parts:
        one_tried, one_survived = try_part(name, parts[name], options)
        tried += one_tried
        survived += one_survived
    if tried:
        noticed = tried - survived
        print(f"\n{noticed} of {tried} faults were noticed: {noticed / tried:.0%}")


if __name__ == "__main__":
    main(parsed_arguments())
