"""A call to an agent without a carrier, by audio."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Literal
from urllib.parse import urlencode

from ._playback import Playback
from ._websocket import WebSocket
from .errors import VoiceError
from .generated.types import WsSessionCreate

SampleRate = Literal[8000, 16000, 24000, 48000]

# Events that wait for a reader: minutes of a call.
_MAX_WAITING = 20_000


class TestSession:
    """A test session with audio: send what the caller says, iterate over what comes.

    Events are dictionaries by `type`: those of live streams (`turn`, `transcript`, `state`, `metrics`, …), `started`,
    `clear` (the caller interrupts: drop what you have not played), `ended`, and `audio`, whose `pcm` is 16-bit linear
    PCM, little-endian, mono. Marks are answered for you, as for somebody who plays the audio as it comes. Every method
    may be called from any thread.

    >>> with voice.test_sessions.talk(agent_id) as session:
    ...     microphone.on_audio(session.send)
    ...     for event in session:
    ...         if event["type"] == "audio":
    ...             speaker.write(event["pcm"])
    """

    __test__ = False  # no test case, whatever pytest thinks of its name

    def __init__(self, created: WsSessionCreate, sample_rate: SampleRate = 16000) -> None:
        """Connects to a session that was created. Raises an `ApiError` or a `ConnectionFailedError`."""
        self.id = created["session_id"]
        self.sample_rate = sample_rate
        """Hz, both ways."""
        query = urlencode({"t": created["token"], "encoding": "pcm16", "sample_rate": sample_rate})
        self._socket = WebSocket(f"{created['stream_url']}?{query}")
        self._playback = Playback(sample_rate * 2)
        self._changed = threading.Condition()
        self._over = False
        self._waiting: queue.Queue[dict[str, Any] | BaseException | None] = queue.Queue()
        for work in (self._receive, self._answer_marks):
            threading.Thread(target=work, name=f"voice session {self.id}", daemon=True).start()

    def send(self, pcm: bytes) -> None:
        """Sends what the caller says, as it is spoken: 16-bit linear PCM (frames of 20 ms are best)."""
        self._socket.send(pcm)

    def press(self, digit: str) -> None:
        """Presses a key: `0` to `9`, `*`, `#`, `A` to `D`."""
        self._message({"type": "dtmf", "digit": digit})

    def stop(self) -> None:
        """Hangs up; the iteration ends when the service has said how the session ended."""
        self._message({"type": "stop"})

    def close(self) -> None:
        """Ends it at once."""
        self._socket.terminate()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            event = self._waiting.get()
            if isinstance(event, dict):
                yield event
                continue
            self._waiting.put(event)  # iterating again finds the same end
            if event is not None:
                raise event
            return

    def __enter__(self) -> "TestSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _message(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))

    def _receive(self) -> None:
        """Reads until the connection ends, in a thread of its own: pings and marks wait for no reader."""
        end: BaseException | None = None
        try:
            for message in self._socket:
                self._take(message)
                if self._waiting.qsize() > _MAX_WAITING:
                    raise VoiceError("The events of the session were not read.")
        except Exception as error:
            end = error
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._waiting.put(end)

    def _take(self, message: str | bytes) -> None:
        now = time.monotonic()
        if isinstance(message, bytes):
            with self._changed:
                self._playback.audio(len(message), now)
            self._waiting.put({"type": "audio", "pcm": message})
            return
        event = json.loads(message)
        with self._changed:
            if event["type"] == "mark":
                self._playback.mark(event["name"], now)
            elif event["type"] == "clear":
                self._playback.clear(now)
            self._changed.notify_all()
        if event["type"] != "mark":
            self._waiting.put(event)

    def _answer_marks(self) -> None:
        """Answers marks when they are due, in a thread of its own."""
        while True:
            with self._changed:
                due = self._playback.due(time.monotonic())
                if not due:
                    if self._over:
                        return
                    self._changed.wait(self._playback.next_due_in(time.monotonic()))
                    continue
            try:
                for name in due:
                    self._message({"type": "mark", "name": name})
            except VoiceError:
                return  # the iteration raises why
