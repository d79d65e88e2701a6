"""Sends requests: with the key, in time, and again where another try may succeed. The standard library alone."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypedDict, cast
from urllib.parse import urlencode, urlsplit

from .errors import ApiError, ConnectionFailedError, RequestTimeoutError, VoiceError, api_error_of, json_of

TIMEOUT_S = 30.0
MAX_RETRIES = 2
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
# A service that asks for more patience than this gets its error to the caller.
LONGEST_RETRY_AFTER_S = 60.0
RETRIED = frozenset({408, 429, 500, 502, 503, 504})
ANOTHER_IS_UNDER_WAY = "idempotency_in_flight"


class RequestOptions(TypedDict, total=False):
    """What one request may have of its own."""

    timeout: float
    """How long the connection may say nothing (s)."""
    max_retries: int
    idempotency_key: str
    """Of a request that changes something; without it each has one of its own, the same for all of its tries."""


class Answer:
    """An answer of success whose body is still to be read."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._response = response

    def read(self) -> bytes:
        try:
            return self._response.read()
        finally:
            self.close()

    def lines(self) -> Iterator[str]:
        """Gives the lines as they come, without their ends."""
        try:
            while line := self._response.readline():
                yield line.decode("utf-8").rstrip("\r\n")
        finally:
            self.close()

    def close(self) -> None:
        self._connection.close()


class Transport:
    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        *,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        key = api_key or os.environ.get("VOICE_API_KEY")
        if not key:
            raise VoiceError("There is no API key: give api_key, or set VOICE_API_KEY (`npm run key` makes one).")
        self._key = key
        address = base_url or os.environ.get("VOICE_API_URL") or "http://localhost:8080"
        # `npm start` prints the API's address with the path that is in every request.
        url = urlsplit(address.rstrip("/").removesuffix("/api/v1"))
        if url.scheme not in ("http", "https") or not url.hostname:
            raise VoiceError(f"{address!r} is no address of the service, such as https://voice.example.")
        self._url = url
        self._timeout = timeout
        self._max_retries = max_retries
        self.sleep = sleep
        self.chance = chance
        self.now = now

    def json(self, verb: str, path: str, **request: Any) -> Any:
        """Returns the answer's JSON; None where it is empty. Raises a `VoiceError`."""

        def read(answer: Answer) -> Any:
            content = answer.read()
            return json_of(content) if content else None

        return self._retried(verb, path, read, **request)

    def download(self, verb: str, path: str, **request: Any) -> bytes:
        """Returns the answer as it is."""
        return cast(bytes, self._retried(verb, path, lambda answer: answer.read(), **request))

    def stream(self, verb: str, path: str, **request: Any) -> Answer:
        """Returns an answer whose body goes on. Close it."""
        return cast(Answer, self._retried(verb, path, lambda answer: answer, **request))

    def _retried(
        self,
        verb: str,
        path: str,
        read: Callable[[Answer], Any],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: tuple[str, bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        options: RequestOptions | None = None,
    ) -> Any:
        options = options or {}
        sent = {"authorization": f"Bearer {self._key}", "accept": "application/json", **(headers or {})}
        data: bytes | None = None
        if content is not None:
            sent["content-type"], data = content
        elif body is not None:
            sent["content-type"], data = "application/json", json.dumps(body).encode()
        if verb != "GET":
            # The same for all tries: what a lost answer had already done is not done twice.
            sent["idempotency-key"] = options.get("idempotency_key") or str(uuid.uuid4())
        target = self._url.path + path + _query_text(query)
        timeout = options.get("timeout", self._timeout)
        for attempt in range(options.get("max_retries", self._max_retries) + 1):
            try:
                return self._once(verb, target, data, sent, timeout, read)
            except VoiceError as error:
                last = attempt == options.get("max_retries", self._max_retries)
                pause = None if last else pause_before(error, attempt, self.chance())
                if pause is None:
                    raise
            self.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _once(
        self,
        verb: str,
        target: str,
        data: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
        read: Callable[[Answer], Any],
    ) -> Any:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=timeout)
        try:
            connection.request(verb, target, body=data, headers=dict(headers))
            response = connection.getresponse()
            # The API redirects nobody: what does stands between, and its answer is none of the API's.
            if not 200 <= response.status < 300:
                names = {name.lower(): value for name, value in response.getheaders()}
                raise api_error_of(response.status, names, response.read())
            return read(Answer(connection, response))
        except TimeoutError as error:
            connection.close()
            raise RequestTimeoutError(f"{verb} {target}: no answer within {timeout:g} s.") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionFailedError(f"{verb} {target}: {self._url.netloc} cannot be reached: {error}") from error
        except VoiceError:
            connection.close()
            raise


def pause_before(
    error: VoiceError,
    attempt: int,
    chance: float,
    first: float = FIRST_PAUSE_S,
    longest_retry_after: float = LONGEST_RETRY_AFTER_S,
) -> float | None:
    """How long to wait before the next try (s); None when another try would end the same way."""
    backoff = min(LONGEST_PAUSE_S, first * 2**attempt) * (0.5 + chance / 2)
    if isinstance(error, (ConnectionFailedError, RequestTimeoutError)):
        return backoff
    if not isinstance(error, ApiError):
        return None
    if error.status not in RETRIED and error.code != ANOTHER_IS_UNDER_WAY:
        return None
    if error.retry_after is None:
        return backoff
    return None if error.retry_after > longest_retry_after else max(backoff, error.retry_after)


def _query_text(query: Mapping[str, Any] | None) -> str:
    given = {name: _as_text(value) for name, value in (query or {}).items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
