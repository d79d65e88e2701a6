"""The client."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, Literal, Unpack, cast

from . import _live
from ._live import PATIENCE_S, ListenedAudio
from ._resource import path_of
from ._test_session import SampleRate, TestSession
from ._transport import MAX_RETRIES, TIMEOUT_S, RequestOptions, Transport
from .errors import json_of
from .generated import resources as r
from .generated import types as t


class CallsResource(r.CallsResource):
    def follow(
        self, call_id: str, last_event_id: str | None = None, patience: float = PATIENCE_S
    ) -> Iterator[dict[str, Any]]:
        """Follow a call until it is over; comes back by itself. `GET /api/v1/calls/{call_id}/live`

        `patience` is for how long it tries to come back once the connection is lost (s).
        """
        return _live.follow(self._transport, call_id, last_event_id, patience)

    def listen(self, call_id: str, channels: Literal["mixed", "stereo"] = "mixed") -> Iterator[ListenedAudio]:
        """Listen to both sides of a live call. `GET /api/v1/calls/{call_id}/listen`"""
        return _live.listen(self.create_live_link(call_id)["listen_url"], channels)

    def recording(
        self,
        call_id: str,
        format: Literal["mp3", "wav"] = "mp3",
        channels: Literal["stereo", "mono"] | None = None,
        request_options: RequestOptions | None = None,
    ) -> bytes:
        """Download the recording. `GET /api/v1/calls/{call_id}/recording`"""
        return self._transport.download(
            "GET",
            path_of("/api/v1/calls/{call_id}/recording", call_id=call_id),
            query={"channels": channels},
            headers={"accept": "audio/mpeg" if format == "mp3" else "audio/wav"},
            options=request_options,
        )


class CampaignsResource(r.CampaignsResource):
    def upload(
        self,
        csv: bytes | str,
        *,
        agent_id: str,
        campaign_name: str,
        caller_id: str | None = None,
        max_concurrent: int | None = None,
        calls_per_minute: int | None = None,
        request_options: RequestOptions | None = None,
    ) -> t.CSVUploadResponse:
        """Create a campaign from a CSV file. `POST /api/v1/campaigns/upload`"""
        query = {
            "agent_id": agent_id,
            "campaign_name": campaign_name,
            "caller_id": caller_id,
            "max_concurrent": max_concurrent,
            "calls_per_minute": calls_per_minute,
        }
        return cast(
            t.CSVUploadResponse,
            self._transport.json(
                "POST", "/api/v1/campaigns/upload", query=query, content=_form_of(csv), options=request_options
            ),
        )

    def export_extracted_data(
        self, campaign_id: str, outcome: str | None = None, request_options: RequestOptions | None = None
    ) -> str:
        """Export what the calls found out, as CSV.

        `GET /api/v1/campaigns/{campaign_id}/extracted-data/export`
        """
        return self._transport.download(
            "GET",
            path_of("/api/v1/campaigns/{campaign_id}/extracted-data/export", campaign_id=campaign_id),
            query={"outcome": outcome},
            headers={"accept": "text/csv"},
            options=request_options,
        ).decode("utf-8")


class VoicesResource(r.VoicesResource):
    def preview(self, provider: str, voice_id: str, request_options: RequestOptions | None = None) -> bytes:
        """Return the vendor's recording of a voice.

        `GET /api/v1/voices/{provider}/{voice_name}/preview`
        """
        return self._transport.download(
            "GET",
            path_of("/api/v1/voices/{provider}/{voice_name}/preview", provider=provider, voice_name=voice_id),
            headers={"accept": "audio/*"},
            options=request_options,
        )


class DoNotCallResource(r.DoNotCallResource):
    def import_csv(self, csv: bytes | str, request_options: RequestOptions | None = None) -> t.DncImportResponse:
        """Add the numbers of a CSV file. `POST /api/v1/compliance/dnc/import`"""
        return cast(
            t.DncImportResponse,
            self._transport.json(
                "POST", "/api/v1/compliance/dnc/import", content=_form_of(csv), options=request_options
            ),
        )


class TestSessionsResource(r.TestSessionsResource):
    __test__ = False

    def talk(
        self,
        agent_id: str,
        *,
        sample_rate: SampleRate = 16000,
        request_options: RequestOptions | None = None,
        **body: Unpack[t.VoiceTestRequest],
    ) -> TestSession:
        """Talk to an agent without a phone: audio both ways, and what happens.

        `POST /api/v1/agents/{agent_id}/test/websocket`
        """
        return TestSession(self.create_web_socket(agent_id, request_options, **body), sample_rate)

    def text(
        self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.TextTestMessage]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Write to an agent; gives what it answers as (name, data). `POST /api/v1/agents/{agent_id}/test/text`"""
        answer = self._transport.stream(
            "POST",
            path_of("/api/v1/agents/{agent_id}/test/text", agent_id=agent_id),
            body=dict(body),
            headers={"accept": "text/event-stream"},
            options=request_options,
        )
        for name, _, data in _live.server_sent_events(answer):
            if data != "":
                yield name or "message", json_of(data)


class Voice:
    """The client of the voice agent platform.

    >>> voice = Voice()  # VOICE_API_KEY, VOICE_API_URL
    >>> call = voice.calls.create(agent_id=agent_id, from_number=number, to_number="+15005550006")
    >>> for event in voice.calls.follow(call["id"]):
    ...     print(event)
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        *,
        transport: Transport | None = None,
    ) -> None:
        sent_by = transport or Transport(api_key, base_url, timeout, max_retries)
        self.agents = r.AgentsResource(sent_by)
        self.agent_templates = r.AgentTemplatesResource(sent_by)
        self.calls = CallsResource(sent_by)
        self.campaigns = CampaignsResource(sent_by)
        self.compliance = r.ComplianceResource(sent_by)
        self.do_not_call = DoNotCallResource(sent_by)
        self.phone_numbers = r.PhoneNumbersResource(sent_by)
        self.verifications = r.VerificationsResource(sent_by)
        self.webhooks = r.WebhooksResource(sent_by)
        self.test_sessions = TestSessionsResource(sent_by)
        self.integrations = r.IntegrationsResource(sent_by)
        self.analytics = r.AnalyticsResource(sent_by)
        self.billing = r.BillingResource(sent_by)
        self.settings = r.SettingsResource(sent_by)
        self.members = r.MembersResource(sent_by)
        self.invitations = r.InvitationsResource(sent_by)
        self.voices = VoicesResource(sent_by)
        self.vendor_keys = r.VendorKeysResource(sent_by)
        self.api_keys = r.ApiKeysResource(sent_by)


def _form_of(csv: bytes | str) -> tuple[str, bytes]:
    """Returns the content type and the bytes of a form with one file."""
    boundary = uuid.uuid4().hex
    raw = csv.encode() if isinstance(csv, str) else csv
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="contacts.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    )
    return f"multipart/form-data; boundary={boundary}", head.encode() + raw + f"\r\n--{boundary}--\r\n".encode()
