"""Streams of a call: what happens in it, and what is heard."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from ._resource import path_of
from ._transport import Answer, RequestOptions, Transport, pause_before
from ._websocket import WebSocket
from .errors import ConnectionFailedError, VoiceError, json_of

# A heartbeat comes every 15 s; a stream that says nothing for this long is lost.
SILENCE_S = 45.0
RECONNECT_S = 1.0
PATIENCE_S = 300.0


def server_sent_events(answer: Answer) -> Iterator[tuple[str | None, str | None, str]]:
    """Reads server-sent events as (name, id, data); comments have no data."""
    name: str | None = None
    identity: str | None = None
    data: list[str] = []
    for line in answer.lines():
        if line == "":
            yield name, identity, "\n".join(data)
            name, identity, data = None, None, []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "id":
            identity = value
        elif field == "data":
            data.append(value)


def follow(
    transport: Transport, call_id: str, last_event_id: str | None = None, patience: float = PATIENCE_S
) -> Iterator[dict[str, Any]]:
    """Follows a call until it is over. Raises what the first connection fails with.

    Later it comes back by itself where the connection breaks or the service is away for a while, without a gap in what
    is durable, and raises the last failure once it has tried for as long as `patience` says (s).
    """
    path = path_of("/api/v1/calls/{call_id}/live", call_id=call_id)
    options: RequestOptions = {"timeout": SILENCE_S}
    has_connected = False
    lost_at: float | None = None
    tries = 0
    while True:
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        failure: VoiceError = ConnectionFailedError("The stream ended before the call.")
        try:
            answer = transport.stream("GET", path, headers=headers, options=options)
            has_connected = True
            # Later tries are made here, with more patience.
            options = {"timeout": SILENCE_S, "max_retries": 0}
            try:
                for _, identity, data in server_sent_events(answer):
                    # An answer alone is no way back: the service says something at once, a proxy in its place does not.
                    lost_at, tries = None, 0
                    event = None if data == "" else json_of(data)
                    # Only now: one that could not be read is asked for once more.
                    last_event_id = identity or last_event_id
                    if event is None:
                        continue
                    yield event
                    if event["type"] == "status" and event.get("end_reason") is not None:
                        return
            finally:
                answer.close()
        except VoiceError as error:
            if not has_connected:
                raise
            failure = error
        except (OSError, http.client.HTTPException) as error:
            failure = ConnectionFailedError(f"The stream broke: {error}")
            failure.__cause__ = error
        lost_at = transport.now() if lost_at is None else lost_at
        left = lost_at + patience - transport.now()
        pause = pause_before(failure, tries, transport.chance(), RECONNECT_S, left)
        if pause is None or pause > left:
            raise failure
        tries += 1
        transport.sleep(pause)


@dataclass(frozen=True)
class ListenedAudio:
    """40 ms of what both sides hear: 16-bit linear PCM, little-endian; of two channels the caller's is the left."""

    pcm: bytes
    sample_rate: int
    channels: int


def listen(listen_url: str, channels: Literal["mixed", "stereo"] = "mixed") -> Iterator[ListenedAudio]:
    """Listens to a call until it is over. Raises a `ConnectionFailedError` when the connection breaks: listen anew."""
    sample_rate, count = 0, 1
    socket = WebSocket(f"{listen_url}&{urlencode({'channels': channels})}")
    try:
        for message in socket:
            if isinstance(message, str):
                description = json_of(message)
                sample_rate, count = description["sample_rate"], description["channels"]
            else:
                yield ListenedAudio(message, sample_rate, count)
    finally:
        socket.terminate()
