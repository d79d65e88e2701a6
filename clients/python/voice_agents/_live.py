"""Streams of a call: what happens in it, and what is heard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from ._resource import path_of
from ._transport import Answer, Transport
from ._websocket import WebSocket
from .errors import ApiError, ConnectionFailedError, RequestTimeoutError, json_of

# A heartbeat comes every 15 s; a stream that says nothing for this long is lost.
SILENCE_S = 45.0
RECONNECT_S = 1.0


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


def follow(transport: Transport, call_id: str, last_event_id: str | None = None) -> Iterator[dict[str, Any]]:
    """Follows a call until it is over; comes back by itself, without a gap in what is durable."""
    while True:
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        try:
            answer = transport.stream(
                "GET",
                path_of("/api/v1/calls/{call_id}/live", call_id=call_id),
                headers=headers,
                options={"timeout": SILENCE_S},
            )
            try:
                for _, identity, data in server_sent_events(answer):
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
        except ApiError:
            raise
        except (ConnectionFailedError, RequestTimeoutError, OSError):
            pass  # a broken stream is opened anew
        time.sleep(RECONNECT_S)


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
