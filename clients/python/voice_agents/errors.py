"""What can go wrong, as exceptions: all are `VoiceError`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class VoiceError(Exception):
    """What every error of this client is."""


class ConnectionFailedError(VoiceError):
    """The service could not be reached, or the connection broke before the answer was whole."""


class RequestTimeoutError(VoiceError):
    """The answer did not come in time."""


class SignatureError(VoiceError):
    """A webhook that was not signed with the secret, or not lately."""


@dataclass(frozen=True)
class FieldError:
    """One field of a request that does not fit; `path` is as `calling_hours.days.0`."""

    path: str
    message: str


class ApiError(VoiceError):
    """The service answered with an error.

    `code` is stable and for programs; quote `request_id` when you ask for help; `body` has what an error carries
    besides (`check_id`, `reasons`, …).
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None,
        fields: list[FieldError],
        retry_after: float | None,
        body: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id
        self.fields = fields
        self.retry_after = retry_after
        """How long to wait before the next try (s), where the service says so."""
        self.body = body


class InvalidRequestError(ApiError):
    """400, 413, 415, 422: the request has to change."""


class AuthenticationError(ApiError):
    """401: no key, or one that does not count."""


class PaymentRequiredError(ApiError):
    """402: no credit, no payment method, or the daily cap is reached."""


class PermissionDeniedError(ApiError):
    """403: the compliance gate, the mode or a right is against it."""


class NotFoundError(ApiError):
    """404: there is none of that id in this tenant and mode."""


class ConflictError(ApiError):
    """409: the state of what it is about is against it."""


class RateLimitError(ApiError):
    """429: too many requests, also after the tries that the client makes."""


class ServerError(ApiError):
    """5xx: the service failed."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def api_error_of(status: int, headers: Mapping[str, str], content: bytes) -> ApiError:
    """Returns the error that an answer stands for.

    Answers that are none of the API's (of a proxy between) become errors with the code `unknown`. The names of
    `headers` are in lower case.
    """
    body: Any
    try:
        body = json.loads(content)
    except ValueError:
        body = content.decode("utf-8", "replace")
    fields = _fields_of(body)
    detail = _field(body, "detail")
    if isinstance(detail, str):
        message = detail
    elif fields:
        message = "; ".join(f"{field.path}: {field.message}" if field.path else field.message for field in fields)
    else:
        message = f"The service answered {status}."
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(
        message,
        status=status,
        code=_field(body, "code") or ("validation_error" if fields else "unknown"),
        request_id=_field(body, "request_id") or headers.get("x-request-id"),
        fields=fields,
        retry_after=_seconds(headers.get("retry-after")),
        body=body,
    )


def json_of(text: str | bytes) -> Any:
    """Reads what the service sent. Raises a `ConnectionFailedError` where something between has changed it."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConnectionFailedError("What came is no JSON: something between has changed it.") from error


def _fields_of(body: Any) -> list[FieldError]:
    detail = _field(body, "detail")
    if not isinstance(detail, list):
        return []
    return [
        FieldError(".".join(str(part) for part in (_field(entry, "loc") or [])[1:]), _field(entry, "msg") or "does not fit")
        for entry in detail
    ]


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text is not None else None
    except ValueError:
        return None
