"""What a listener has heard who plays the agent's audio as it comes."""

from __future__ import annotations


class Playback:
    """Knows when marks are due: when the audio before them has been played in real time, or at once when it is dropped.

    Times are seconds of any clock that only goes forward.
    """

    def __init__(self, bytes_per_second: int) -> None:
        self._bytes_per_second = bytes_per_second
        self._played_until = 0.0
        self._marks: list[tuple[float, str]] = []

    def audio(self, count: int, now: float) -> None:
        """So many bytes have come, and are played after what waits."""
        self._played_until = max(now, self._played_until) + count / self._bytes_per_second

    def mark(self, name: str, now: float) -> None:
        self._marks.append((max(now, self._played_until), name))

    def clear(self, now: float) -> None:
        """What was not played yet is dropped."""
        self._played_until = now
        self._marks = [(min(due, now), name) for due, name in self._marks]

    def due(self, now: float) -> list[str]:
        """Returns the names of the marks to answer now, in their order, and forgets them."""
        names = [name for due, name in self._marks if due <= now]
        self._marks = [(due, name) for due, name in self._marks if due > now]
        return names

    def next_due_in(self, now: float) -> float | None:
        """How long until the next mark is due (s); None when there is none."""
        return max(0.0, min(due for due, _ in self._marks) - now) if self._marks else None
