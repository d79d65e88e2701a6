"""The client of the voice agent platform."""

from ._live import ListenedAudio
from ._pages import Pages
from ._test_session import TestSession
from ._transport import RequestOptions
from .client import Voice
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    FieldError,
    InvalidRequestError,
    NotFoundError,
    PaymentRequiredError,
    PermissionDeniedError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    SignatureError,
    VoiceError,
)
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "FieldError",
    "InvalidRequestError",
    "ListenedAudio",
    "NotFoundError",
    "Pages",
    "PaymentRequiredError",
    "PermissionDeniedError",
    "RateLimitError",
    "RequestOptions",
    "RequestTimeoutError",
    "ServerError",
    "SignatureError",
    "TestSession",
    "Voice",
    "VoiceError",
    "verify_webhook",
]
