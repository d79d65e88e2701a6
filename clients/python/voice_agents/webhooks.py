"""Verifies what a webhook delivers."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import cast

from .errors import SignatureError
from .generated.types import WebhookEvent

TOLERANCE_S = 300.0


def verify_webhook(
    body: bytes | str,
    signature: str | None,
    secret: str | None,
    *,
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of a delivery that was signed with the secret, lately.

    `body` is what came, before anything parses it; `signature` the header `X-Service-Signature`; `secret` the
    subscription's, `whsec_` included; without one everything is refused. Raises a `SignatureError` for any other:
    answer it with 400 and do nothing else. Deliveries come at least once: drop an `event_id` that you have seen.
    """
    # Anybody can sign with nothing.
    if not secret:
        raise SignatureError("There is no secret to verify the signature with.")
    match = re.fullmatch(r"t=(\d{1,15}),v1=([0-9a-f]{64})", signature or "")
    if match is None:
        raise SignatureError("X-Service-Signature is missing or not of the form t=…,v1=….")
    raw = body.encode() if isinstance(body, str) else body
    expected = hmac.new(secret.encode(), f"{match[1]}.".encode() + raw, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, match[2]):
        raise SignatureError("The signature is not that of this body under this secret.")
    age = abs((time.time() if now is None else now) - int(match[1]))
    if age > tolerance:
        raise SignatureError(f"The signature is {age:.0f} s old: it may be a repetition of an old delivery.")
    return cast(WebhookEvent, json.loads(raw))
