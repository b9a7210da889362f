"""GET /notes?first=5&after=… as a connection of Relay's. Run: uvicorn fastapi_relay:app."""

from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, HTTPException, Query, Request
from relay import Camel, Connection, connection_of
from relay_arguments import Arguments, page_of
from sample_counters import total
from sample_table import TABLE, TEAMS, client

from dynapages import BadToken, Feed, Index, OutOfTime, Tokens, time_budget

INDEX = Index(TABLE, "by_team", partition="team", sort="at", table_key=("id",))
LIST = {"name": "notes", "tokens": Tokens("a secret of this site alone")}


class Note(Camel):
    id: str
    at: int


@asynccontextmanager
async def lifespan(app):
    own = client()  # one for each process, made in the process that serves
    app.state.notes = Feed(INDEX, TEAMS, client=own, total=total(own), **LIST)
    yield
    own.close()


app = FastAPI(lifespan=lifespan)


@app.get("/notes")
def notes(request: Request, asked: Annotated[Arguments, Query()]) -> Connection[Note]:
    try:
        with time_budget(2.0):
            return connection_of(page_of(request.app.state.notes, asked))
    except (BadToken, OutOfTime) as error:
        raise HTTPException(503 if isinstance(error, OutOfTime) else 400, str(error)) from error
