"""The counter of the notes of the other examples, with a cell for each team."""

from sample_table import TABLE, TEAMS

from dynapages import Pool
from dynapages.calls import Batches
from dynapages.writes import Counters, Counting, write_transaction


def counters(client):
    """Return the counters in the table."""
    return Counters(Batches(client, Pool(2)), TABLE, lambda name, shard: {"id": f"{name}#{shard}"})


def total(client):
    """Return what counts the notes, for a feed."""
    return Counting(counters(client), "notes")


def fill(client, notes_of_a_team=20):
    """Count the notes that the table is filled with."""
    deltas = dict.fromkeys(TEAMS, notes_of_a_team)
    write_transaction(client, [counters(client).change("notes", deltas)])
