# Generated from the OpenAPI description by `npm run clients`. Change the API or clients/generate, not this.
from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict, Unpack

from .._pages import Pages
from .._resource import Resource, path_of
from .._transport import RequestOptions
from . import types as t


class ListAgentsQuery(TypedDict):
    limit: NotRequired[int]
    active_only: NotRequired[bool]
    include_total: NotRequired[bool]


class ListAgentVersionsQuery(TypedDict):
    limit: NotRequired[int]


class DiffAgentVersionsQuery(TypedDict):
    to: NotRequired[int]


class EstimateAgentQuery(TypedDict):
    to_number: NotRequired[str]


class ListCallsQuery(TypedDict):
    limit: NotRequired[int]
    status: NotRequired[Literal["QUEUED", "RINGING", "IN_PROGRESS", "COMPLETED", "FAILED", "BUSY", "NO_ANSWER", "VOICEMAIL"]]
    direction: NotRequired[Literal["inbound", "outbound"]]
    agent_id: NotRequired[str]
    q: NotRequired[str]
    include_total: NotRequired[bool]


class ListCallDeliveriesQuery(TypedDict):
    limit: NotRequired[int]


class ListCampaignsQuery(TypedDict):
    limit: NotRequired[int]
    status: NotRequired[str]
    include_total: NotRequired[bool]


class ListCampaignContactsQuery(TypedDict):
    limit: NotRequired[int]
    status: NotRequired[str]
    include_total: NotRequired[bool]


class ListCampaignExtractedDataQuery(TypedDict):
    outcome: NotRequired[str]
    sort: NotRequired[Literal["started_at", "outcome_score", "duration_seconds"]]
    order: NotRequired[Literal["asc", "desc"]]
    limit: NotRequired[int]
    include_total: NotRequired[bool]


class ListComplianceChecksQuery(TypedDict):
    limit: NotRequired[int]
    decision: NotRequired[Literal["allowed", "denied"]]
    reason: NotRequired[str]
    to_number: NotRequired[str]
    include_total: NotRequired[bool]


class ListDoNotCallQuery(TypedDict):
    limit: NotRequired[int]
    phone_number: NotRequired[str]
    source: NotRequired[Literal["api", "import", "opt_out"]]
    include_total: NotRequired[bool]


class SearchPhoneNumbersQuery(TypedDict):
    country: NotRequired[str]
    area_code: NotRequired[str]
    provider: NotRequired[Literal["twilio", "telnyx", "plivo", "simulated"]]
    limit: NotRequired[int]


class ListWebhookDeliveriesQuery(TypedDict):
    limit: NotRequired[int]


class ListEventsQuery(TypedDict):
    limit: NotRequired[int]
    event_type: NotRequired[Literal["call.started", "call.completed", "call.failed", "call.hangup", "call.transferred", "transcript.ready", "recording.ready", "analysis.ready", "campaign.started", "campaign.completed", "campaign.contact.completed", "agent.activated", "agent.deactivated", "usage.credit_exhausted", "usage.daily_cap_approaching"]]


class GetAnalyticsTrendsQuery(TypedDict):
    start: NotRequired[str]
    end: NotRequired[str]
    bucket: NotRequired[Literal["day", "week", "month"]]


class GetUsageQuery(TypedDict):
    days: NotRequired[int]


class ListMembersQuery(TypedDict):
    limit: NotRequired[int]
    include_total: NotRequired[bool]


class ListInvitationsQuery(TypedDict):
    limit: NotRequired[int]


class ListVoicesQuery(TypedDict):
    provider: NotRequired[Literal["elevenlabs", "cartesia", "deepgram", "openai", "local"]]
    language: NotRequired[str]
    q: NotRequired[str]
    limit: NotRequired[int]


class ListApiKeysQuery(TypedDict):
    limit: NotRequired[int]
    include_total: NotRequired[bool]


class AgentsResource(Resource):
    def create(self, request_options: RequestOptions | None = None, **body: Unpack[t.AgentCreate]) -> t.AgentResponse:
        """Create an agent. `POST /api/v1/agents`"""
        return self._request("POST", "/api/v1/agents", body=dict(body), options=request_options)

    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListAgentsQuery]) -> Pages[t.AgentResponse]:
        """List agents. `GET /api/v1/agents`"""
        return self._pages("/api/v1/agents", "agents", "cursor", query=dict(query), options=request_options)

    def get(self, agent_id: str, request_options: RequestOptions | None = None) -> t.AgentResponse:
        """Get an agent. `GET /api/v1/agents/{agent_id}`"""
        return self._request("GET", path_of("/api/v1/agents/{agent_id}", agent_id=agent_id), options=request_options)

    def update(self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.AgentUpdate]) -> t.AgentResponse:
        """Change an agent. `PATCH /api/v1/agents/{agent_id}`"""
        return self._request("PATCH", path_of("/api/v1/agents/{agent_id}", agent_id=agent_id), body=dict(body), options=request_options)

    def delete(self, agent_id: str, request_options: RequestOptions | None = None) -> None:
        """Switch an agent off. `DELETE /api/v1/agents/{agent_id}`"""
        return self._request("DELETE", path_of("/api/v1/agents/{agent_id}", agent_id=agent_id), options=request_options)

    def providers(self, request_options: RequestOptions | None = None) -> t.ProviderListResponse:
        """List the canonical providers. `GET /api/v1/providers`"""
        return self._request("GET", "/api/v1/providers", options=request_options)

    def versions(self, agent_id: str, request_options: RequestOptions | None = None, **query: Unpack[ListAgentVersionsQuery]) -> Pages[t.AgentVersionSummary]:
        """List an agent's versions. `GET /api/v1/agents/{agent_id}/versions`"""
        return self._pages(path_of("/api/v1/agents/{agent_id}/versions", agent_id=agent_id), "versions", "cursor", query=dict(query), options=request_options)

    def get_version(self, agent_id: str, version: str, request_options: RequestOptions | None = None) -> t.AgentVersionResponse:
        """Get a version of an agent. `GET /api/v1/agents/{agent_id}/versions/{version}`"""
        return self._request("GET", path_of("/api/v1/agents/{agent_id}/versions/{version}", agent_id=agent_id, version=version), options=request_options)

    def diff_versions(self, agent_id: str, version: str, request_options: RequestOptions | None = None, **query: Unpack[DiffAgentVersionsQuery]) -> t.AgentVersionDiffResponse:
        """Compare two versions of an agent. `GET /api/v1/agents/{agent_id}/versions/{version}/diff`"""
        return self._request("GET", path_of("/api/v1/agents/{agent_id}/versions/{version}/diff", agent_id=agent_id, version=version), query=dict(query), options=request_options)

    def restore_version(self, agent_id: str, version: str, request_options: RequestOptions | None = None) -> t.AgentResponse:
        """Restore a version of an agent. `POST /api/v1/agents/{agent_id}/versions/{version}/restore`"""
        return self._request("POST", path_of("/api/v1/agents/{agent_id}/versions/{version}/restore", agent_id=agent_id, version=version), options=request_options)

    def estimate(self, agent_id: str, request_options: RequestOptions | None = None, **query: Unpack[EstimateAgentQuery]) -> t.AgentEstimateResponse:
        """Estimate what an agent costs a minute, and how soon it answers. `GET /api/v1/agents/{agent_id}/estimate`"""
        return self._request("GET", path_of("/api/v1/agents/{agent_id}/estimate", agent_id=agent_id), query=dict(query), options=request_options)

    def estimate_change(self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.AgentEstimateRequest]) -> t.AgentEstimateResponse:
        """Estimate an agent with other voices, models or turn-taking, before it is saved. `POST /api/v1/agents/{agent_id}/estimate`"""
        return self._request("POST", path_of("/api/v1/agents/{agent_id}/estimate", agent_id=agent_id), body=dict(body), options=request_options)

    def test_tool(self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.ToolTestRequest]) -> t.ToolTestResponse:
        """Try an HTTP tool out. `POST /api/v1/agents/{agent_id}/test/tool`"""
        return self._request("POST", path_of("/api/v1/agents/{agent_id}/test/tool", agent_id=agent_id), body=dict(body), options=request_options)

    def nudge_presets(self, agent_id: str, request_options: RequestOptions | None = None) -> t.NudgePresetsResponse:
        """Get an agent's nudge presets. `GET /api/v1/agents/{agent_id}/nudge-presets`"""
        return self._request("GET", path_of("/api/v1/agents/{agent_id}/nudge-presets", agent_id=agent_id), options=request_options)

    def replace_nudge_presets(self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.UpdateNudgePresetsRequest]) -> t.NudgePresetsResponse:
        """Replace an agent's nudge presets. `PUT /api/v1/agents/{agent_id}/nudge-presets`"""
        return self._request("PUT", path_of("/api/v1/agents/{agent_id}/nudge-presets", agent_id=agent_id), body=dict(body), options=request_options)


class AgentTemplatesResource(Resource):
    def list(self, request_options: RequestOptions | None = None) -> t.AgentTemplateListResponse:
        """List the built-in agent templates. `GET /api/v1/agent-templates`"""
        return self._request("GET", "/api/v1/agent-templates", options=request_options)

    def get(self, slug: str, request_options: RequestOptions | None = None) -> t.AgentTemplateResponse:
        """Get an agent template. `GET /api/v1/agent-templates/{slug}`"""
        return self._request("GET", path_of("/api/v1/agent-templates/{slug}", slug=slug), options=request_options)

    def clone(self, slug: str, request_options: RequestOptions | None = None, **body: Unpack[t.AgentTemplateCloneRequest]) -> t.AgentTemplateCloneResponse:
        """Make an agent of a template. `POST /api/v1/agent-templates/{slug}/clone`"""
        return self._request("POST", path_of("/api/v1/agent-templates/{slug}/clone", slug=slug), body=dict(body), options=request_options)


class CallsResource(Resource):
    def create(self, request_options: RequestOptions | None = None, **body: Unpack[t.CallCreate]) -> t.CallCreateResponse:
        """Place a call. `POST /api/v1/calls`"""
        return self._request("POST", "/api/v1/calls", body=dict(body), options=request_options)

    def create_test(self, request_options: RequestOptions | None = None, **body: Unpack[t.TestCallRequest]) -> t.CallCreateResponse:
        """Try an agent out by a call. `POST /api/v1/calls/test`"""
        return self._request("POST", "/api/v1/calls/test", body=dict(body), options=request_options)

    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListCallsQuery]) -> Pages[t.CallResponse]:
        """List calls. `GET /api/v1/calls`"""
        return self._pages("/api/v1/calls", "calls", "cursor", query=dict(query), options=request_options)

    def get(self, call_id: str, request_options: RequestOptions | None = None) -> t.CallResponse:
        """Get a call. `GET /api/v1/calls/{call_id}`"""
        return self._request("GET", path_of("/api/v1/calls/{call_id}", call_id=call_id), options=request_options)

    def detail(self, call_id: str, request_options: RequestOptions | None = None) -> t.CallDetailResponse:
        """Get a call with its transcript, metrics and timeline. `GET /api/v1/calls/{call_id}/detail`"""
        return self._request("GET", path_of("/api/v1/calls/{call_id}/detail", call_id=call_id), options=request_options)

    def decisions(self, call_id: str, request_options: RequestOptions | None = None) -> t.CallDecisionsResponse:
        """Why the agent spoke, waited or fell silent. `GET /api/v1/calls/{call_id}/decisions`"""
        return self._request("GET", path_of("/api/v1/calls/{call_id}/decisions", call_id=call_id), options=request_options)

    def deliveries(self, call_id: str, request_options: RequestOptions | None = None, **query: Unpack[ListCallDeliveriesQuery]) -> Pages[t.DeliveryResponse]:
        """List the webhook deliveries of a call's events. `GET /api/v1/calls/{call_id}/deliveries`"""
        return self._pages(path_of("/api/v1/calls/{call_id}/deliveries", call_id=call_id), "deliveries", "cursor", query=dict(query), options=request_options)

    def hang_up(self, call_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.HangupRequest]) -> t.HangupResponse:
        """Hang up. `POST /api/v1/calls/{call_id}/hangup`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/hangup", call_id=call_id), body=dict(body), options=request_options)

    def erase(self, call_id: str, request_options: RequestOptions | None = None) -> t.CallErasureResponse:
        """Erase a call. `DELETE /api/v1/calls/{call_id}`"""
        return self._request("DELETE", path_of("/api/v1/calls/{call_id}", call_id=call_id), options=request_options)

    def transfer(self, call_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.CallTransfer]) -> t.CallTransferResponse:
        """Transfer a live call to a human. `POST /api/v1/calls/{call_id}/transfer`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/transfer", call_id=call_id), body=dict(body), options=request_options)

    def whisper(self, call_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.WhisperRequest]) -> t.OperatorActionAccepted:
        """Whisper to the agent. `POST /api/v1/calls/{call_id}/whisper`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/whisper", call_id=call_id), body=dict(body), options=request_options)

    def nudge(self, call_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.NudgeRequest]) -> t.OperatorActionAccepted:
        """Nudge the agent with a preset. `POST /api/v1/calls/{call_id}/nudge`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/nudge", call_id=call_id), body=dict(body), options=request_options)

    def pause_recording(self, call_id: str, request_options: RequestOptions | None = None) -> t.OperatorActionAccepted:
        """Stop recording for a while. `POST /api/v1/calls/{call_id}/recording/pause`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/recording/pause", call_id=call_id), options=request_options)

    def resume_recording(self, call_id: str, request_options: RequestOptions | None = None) -> t.OperatorActionAccepted:
        """Go on recording. `POST /api/v1/calls/{call_id}/recording/resume`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/recording/resume", call_id=call_id), options=request_options)

    def operator_actions(self, call_id: str, request_options: RequestOptions | None = None) -> t.OperatorActionListResponse:
        """List what operators did to a call. `GET /api/v1/calls/{call_id}/operator-actions`"""
        return self._request("GET", path_of("/api/v1/calls/{call_id}/operator-actions", call_id=call_id), options=request_options)

    def create_live_link(self, call_id: str, request_options: RequestOptions | None = None) -> t.LiveLinkResponse:
        """Get links to a live call for a browser. `POST /api/v1/calls/{call_id}/live-link`"""
        return self._request("POST", path_of("/api/v1/calls/{call_id}/live-link", call_id=call_id), options=request_options)


class CampaignsResource(Resource):
    def create(self, request_options: RequestOptions | None = None, **body: Unpack[t.CampaignCreate]) -> t.CampaignCreateResponse:
        """Create a campaign. `POST /api/v1/campaigns`"""
        return self._request("POST", "/api/v1/campaigns", body=dict(body), options=request_options)

    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListCampaignsQuery]) -> Pages[t.CampaignSummary]:
        """List campaigns. `GET /api/v1/campaigns`"""
        return self._pages("/api/v1/campaigns", "campaigns", "cursor", query=dict(query), options=request_options)

    def get(self, campaign_id: str, request_options: RequestOptions | None = None) -> t.CampaignResponse:
        """Get a campaign. `GET /api/v1/campaigns/{campaign_id}`"""
        return self._request("GET", path_of("/api/v1/campaigns/{campaign_id}", campaign_id=campaign_id), options=request_options)

    def update_criteria(self, campaign_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.CampaignCriteriaUpdate]) -> t.CampaignResponse:
        """Change the success criteria of a draft. `PATCH /api/v1/campaigns/{campaign_id}`"""
        return self._request("PATCH", path_of("/api/v1/campaigns/{campaign_id}", campaign_id=campaign_id), body=dict(body), options=request_options)

    def generate_criteria(self, request_options: RequestOptions | None = None, **body: Unpack[t.GenerateCriteriaRequest]) -> t.GenerateCriteriaResponse:
        """Propose outcome labels and an extraction schema for a goal. `POST /api/v1/campaigns/generate-criteria`"""
        return self._request("POST", "/api/v1/campaigns/generate-criteria", body=dict(body), options=request_options)

    def start(self, campaign_id: str, request_options: RequestOptions | None = None) -> t.CampaignTransitionResponse:
        """Start or resume a campaign. `POST /api/v1/campaigns/{campaign_id}/start`"""
        return self._request("POST", path_of("/api/v1/campaigns/{campaign_id}/start", campaign_id=campaign_id), options=request_options)

    def pause(self, campaign_id: str, request_options: RequestOptions | None = None) -> t.CampaignTransitionResponse:
        """Pause a campaign. `POST /api/v1/campaigns/{campaign_id}/pause`"""
        return self._request("POST", path_of("/api/v1/campaigns/{campaign_id}/pause", campaign_id=campaign_id), options=request_options)

    def cancel(self, campaign_id: str, request_options: RequestOptions | None = None) -> t.CampaignTransitionResponse:
        """Cancel a campaign. `POST /api/v1/campaigns/{campaign_id}/cancel`"""
        return self._request("POST", path_of("/api/v1/campaigns/{campaign_id}/cancel", campaign_id=campaign_id), options=request_options)

    def contacts(self, campaign_id: str, request_options: RequestOptions | None = None, **query: Unpack[ListCampaignContactsQuery]) -> Pages[t.CampaignContactResponse]:
        """List a campaign's contacts. `GET /api/v1/campaigns/{campaign_id}/contacts`"""
        return self._pages(path_of("/api/v1/campaigns/{campaign_id}/contacts", campaign_id=campaign_id), "contacts", "offset", query=dict(query), options=request_options)

    def reschedule_contact(self, campaign_id: str, contact_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.ContactRescheduleRequest]) -> t.CampaignContactResponse:
        """Call a contact (again) at a given time. `POST /api/v1/campaigns/{campaign_id}/contacts/{contact_id}/reschedule`"""
        return self._request("POST", path_of("/api/v1/campaigns/{campaign_id}/contacts/{contact_id}/reschedule", campaign_id=campaign_id, contact_id=contact_id), body=dict(body), options=request_options)

    def analytics(self, campaign_id: str, request_options: RequestOptions | None = None) -> t.CampaignAnalytics:
        """Outcome funnel, metrics and time series. `GET /api/v1/campaigns/{campaign_id}/analytics`"""
        return self._request("GET", path_of("/api/v1/campaigns/{campaign_id}/analytics", campaign_id=campaign_id), options=request_options)

    def insights(self, campaign_id: str, request_options: RequestOptions | None = None) -> t.CampaignInsights:
        """Insights into failed and low-quality calls. `GET /api/v1/campaigns/{campaign_id}/insights`"""
        return self._request("GET", path_of("/api/v1/campaigns/{campaign_id}/insights", campaign_id=campaign_id), options=request_options)

    def extracted_data(self, campaign_id: str, request_options: RequestOptions | None = None, **query: Unpack[ListCampaignExtractedDataQuery]) -> Pages[t.CampaignExtractedRow]:
        """Data extracted from analysed calls. `GET /api/v1/campaigns/{campaign_id}/extracted-data`"""
        return self._pages(path_of("/api/v1/campaigns/{campaign_id}/extracted-data", campaign_id=campaign_id), "data", "offset", query=dict(query), options=request_options)


class ComplianceResource(Resource):
    def check(self, request_options: RequestOptions | None = None, **body: Unpack[t.ComplianceCheckRequest]) -> t.ComplianceCheckResponse:
        """Check a number. `POST /api/v1/compliance/check`"""
        return self._request("POST", "/api/v1/compliance/check", body=dict(body), options=request_options)

    def get_check(self, check_id: str, request_options: RequestOptions | None = None) -> t.ComplianceCheckResponse:
        """Get a stored check. `GET /api/v1/compliance/checks/{check_id}`"""
        return self._request("GET", path_of("/api/v1/compliance/checks/{check_id}", check_id=check_id), options=request_options)

    def checks(self, request_options: RequestOptions | None = None, **query: Unpack[ListComplianceChecksQuery]) -> Pages[t.ComplianceCheckSummary]:
        """List the stored checks. `GET /api/v1/compliance/checks`"""
        return self._pages("/api/v1/compliance/checks", "checks", "cursor", query=dict(query), options=request_options)


class DoNotCallResource(Resource):
    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListDoNotCallQuery]) -> Pages[t.DncEntryResponse]:
        """List the do-not-call entries. `GET /api/v1/compliance/dnc`"""
        return self._pages("/api/v1/compliance/dnc", "entries", "cursor", query=dict(query), options=request_options)

    def add(self, request_options: RequestOptions | None = None, **body: Unpack[t.DncEntryCreate]) -> t.DncEntryResponse:
        """Put a number on the do-not-call list. `POST /api/v1/compliance/dnc`"""
        return self._request("POST", "/api/v1/compliance/dnc", body=dict(body), options=request_options)

    def get(self, entry_id: str, request_options: RequestOptions | None = None) -> t.DncEntryResponse:
        """Get a do-not-call entry. `GET /api/v1/compliance/dnc/{entry_id}`"""
        return self._request("GET", path_of("/api/v1/compliance/dnc/{entry_id}", entry_id=entry_id), options=request_options)

    def remove(self, entry_id: str, request_options: RequestOptions | None = None) -> None:
        """Take a number off the do-not-call list. `DELETE /api/v1/compliance/dnc/{entry_id}`"""
        return self._request("DELETE", path_of("/api/v1/compliance/dnc/{entry_id}", entry_id=entry_id), options=request_options)


class PhoneNumbersResource(Resource):
    def search(self, request_options: RequestOptions | None = None, **query: Unpack[SearchPhoneNumbersQuery]) -> List[t.AvailableNumber]:
        """Search numbers that can be bought. `GET /api/v1/phones/available`"""
        return self._request("GET", "/api/v1/phones/available", query=dict(query), options=request_options)

    def list(self, request_options: RequestOptions | None = None) -> t.PhoneNumberListResponse:
        """List the tenant's numbers. `GET /api/v1/phones`"""
        return self._request("GET", "/api/v1/phones", options=request_options)

    def buy(self, request_options: RequestOptions | None = None, **body: Unpack[t.ProvisionRequest]) -> t.PhoneNumberResponse:
        """Buy a number. `POST /api/v1/phones`"""
        return self._request("POST", "/api/v1/phones", body=dict(body), options=request_options)

    def import_(self, request_options: RequestOptions | None = None, **body: Unpack[t.ImportNumberRequest]) -> t.PhoneNumberResponse:
        """Bring a number along. `POST /api/v1/phones/import`"""
        return self._request("POST", "/api/v1/phones/import", body=dict(body), options=request_options)

    def assign_agent(self, phone_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.AssignAgentRequest]) -> t.PhoneNumberResponse:
        """Assign the agent that answers. `PATCH /api/v1/phones/{phone_id}`"""
        return self._request("PATCH", path_of("/api/v1/phones/{phone_id}", phone_id=phone_id), body=dict(body), options=request_options)

    def release(self, phone_id: str, request_options: RequestOptions | None = None) -> None:
        """Release a number. `DELETE /api/v1/phones/{phone_id}`"""
        return self._request("DELETE", path_of("/api/v1/phones/{phone_id}", phone_id=phone_id), options=request_options)


class VerificationsResource(Resource):
    def start(self, request_options: RequestOptions | None = None, **body: Unpack[t.StartRequest]) -> t.StartResponse:
        """Send a verification code. `POST /api/v1/verifications`"""
        return self._request("POST", "/api/v1/verifications", body=dict(body), options=request_options)

    def confirm(self, request_options: RequestOptions | None = None, **body: Unpack[t.ConfirmRequest]) -> t.ConfirmResponse:
        """Confirm a verification code. `POST /api/v1/verifications/confirm`"""
        return self._request("POST", "/api/v1/verifications/confirm", body=dict(body), options=request_options)


class WebhooksResource(Resource):
    def event_types(self, request_options: RequestOptions | None = None) -> t.EventCatalogResponse:
        """The event catalog. `GET /api/v1/webhooks/event-types`"""
        return self._request("GET", "/api/v1/webhooks/event-types", options=request_options)

    def list(self, request_options: RequestOptions | None = None) -> List[t.WebhookResponse]:
        """List webhook subscriptions. `GET /api/v1/webhooks`"""
        return self._request("GET", "/api/v1/webhooks", options=request_options)

    def create(self, request_options: RequestOptions | None = None, **body: Unpack[t.WebhookCreate]) -> t.WebhookCreateResponse:
        """Create a webhook subscription. `POST /api/v1/webhooks`"""
        return self._request("POST", "/api/v1/webhooks", body=dict(body), options=request_options)

    def get(self, webhook_id: str, request_options: RequestOptions | None = None) -> t.WebhookResponse:
        """Get a webhook subscription. `GET /api/v1/webhooks/{webhook_id}`"""
        return self._request("GET", path_of("/api/v1/webhooks/{webhook_id}", webhook_id=webhook_id), options=request_options)

    def update(self, webhook_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.WebhookUpdate]) -> t.WebhookResponse:
        """Change a webhook subscription. `PATCH /api/v1/webhooks/{webhook_id}`"""
        return self._request("PATCH", path_of("/api/v1/webhooks/{webhook_id}", webhook_id=webhook_id), body=dict(body), options=request_options)

    def delete(self, webhook_id: str, request_options: RequestOptions | None = None) -> None:
        """Delete a webhook subscription. `DELETE /api/v1/webhooks/{webhook_id}`"""
        return self._request("DELETE", path_of("/api/v1/webhooks/{webhook_id}", webhook_id=webhook_id), options=request_options)

    def test(self, webhook_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.TestFireRequest]) -> t.DeliveryResponse:
        """Send a test event. `POST /api/v1/webhooks/{webhook_id}/test`"""
        return self._request("POST", path_of("/api/v1/webhooks/{webhook_id}/test", webhook_id=webhook_id), body=dict(body), options=request_options)

    def deliveries(self, webhook_id: str, request_options: RequestOptions | None = None, **query: Unpack[ListWebhookDeliveriesQuery]) -> List[t.DeliveryResponse]:
        """List deliveries. `GET /api/v1/webhooks/{webhook_id}/deliveries`"""
        return self._request("GET", path_of("/api/v1/webhooks/{webhook_id}/deliveries", webhook_id=webhook_id), query=dict(query), options=request_options)

    def events(self, request_options: RequestOptions | None = None, **query: Unpack[ListEventsQuery]) -> Pages[t.EventResponse]:
        """List the events that were published. `GET /api/v1/events`"""
        return self._pages("/api/v1/events", "events", "cursor", query=dict(query), options=request_options)

    def delivery(self, delivery_id: str, request_options: RequestOptions | None = None) -> t.DeliveryDetailResponse:
        """Get a delivery with its body. `GET /api/v1/webhooks/deliveries/{delivery_id}/detail`"""
        return self._request("GET", path_of("/api/v1/webhooks/deliveries/{delivery_id}/detail", delivery_id=delivery_id), options=request_options)

    def replay_delivery(self, delivery_id: str, request_options: RequestOptions | None = None) -> t.DeliveryResponse:
        """Send a delivery again. `POST /api/v1/webhooks/deliveries/{delivery_id}/replay`"""
        return self._request("POST", path_of("/api/v1/webhooks/deliveries/{delivery_id}/replay", delivery_id=delivery_id), options=request_options)

    def config(self, request_options: RequestOptions | None = None) -> t.WebhookConfigResponse:
        """Get the tenant's single webhook. `GET /api/v1/webhooks/config`"""
        return self._request("GET", "/api/v1/webhooks/config", options=request_options)

    def set_config(self, request_options: RequestOptions | None = None, **body: Unpack[t.WebhookConfigRequest]) -> t.WebhookConfigResponse:
        """Set the tenant's single webhook. `PUT /api/v1/webhooks/config`"""
        return self._request("PUT", "/api/v1/webhooks/config", body=dict(body), options=request_options)

    def delete_config(self, request_options: RequestOptions | None = None) -> None:
        """Remove the tenant's single webhook. `DELETE /api/v1/webhooks/config`"""
        return self._request("DELETE", "/api/v1/webhooks/config", options=request_options)


class TestSessionsResource(Resource):
    def create_web_socket(self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.VoiceTestRequest]) -> t.WsSessionCreate:
        """Talk to an agent over a WebSocket. `POST /api/v1/agents/{agent_id}/test/websocket`"""
        return self._request("POST", path_of("/api/v1/agents/{agent_id}/test/websocket", agent_id=agent_id), body=dict(body), options=request_options)

    def create_web_rtc(self, agent_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.VoiceTestRequest]) -> t.WebRTCSessionCreate:
        """Talk to an agent over WebRTC. `POST /api/v1/agents/{agent_id}/test/webrtc`"""
        return self._request("POST", path_of("/api/v1/agents/{agent_id}/test/webrtc", agent_id=agent_id), body=dict(body), options=request_options)

    def offer(self, session_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.SdpOffer]) -> t.OfferTestSessionResponse:
        """Send a WebRTC offer to the session's worker. `POST /api/v1/test-sessions/{session_id}/offer`"""
        return self._request("POST", path_of("/api/v1/test-sessions/{session_id}/offer", session_id=session_id), body=dict(body), options=request_options)

    def result(self, session_id: str, request_options: RequestOptions | None = None) -> t.TestSessionResult | t.TestSessionPending:
        """What a test session came to. `GET /api/v1/test-sessions/{session_id}/result`"""
        return self._request("GET", path_of("/api/v1/test-sessions/{session_id}/result", session_id=session_id), options=request_options)


class IntegrationsResource(Resource):
    def list(self, request_options: RequestOptions | None = None) -> List[t.IntegrationInfo]:
        """List all integrations with how they are connected. `GET /api/v1/integrations`"""
        return self._request("GET", "/api/v1/integrations", options=request_options)

    def connect(self, slug: str, request_options: RequestOptions | None = None) -> t.ConnectResponse:
        """Begin to connect by OAuth. `POST /api/v1/integrations/{slug}/connect`"""
        return self._request("POST", path_of("/api/v1/integrations/{slug}/connect", slug=slug), options=request_options)

    def connect_by_key(self, slug: str, request_options: RequestOptions | None = None, **body: Unpack[t.ApiKeyConnectRequest]) -> t.IntegrationInfo:
        """Connect by a key, token or webhook URL. `POST /api/v1/integrations/{slug}/api-key-connect`"""
        return self._request("POST", path_of("/api/v1/integrations/{slug}/api-key-connect", slug=slug), body=dict(body), options=request_options)

    def disconnect(self, slug: str, request_options: RequestOptions | None = None) -> t.DisconnectResponse:
        """Revoke the tokens and remove the connection. `DELETE /api/v1/integrations/{slug}`"""
        return self._request("DELETE", path_of("/api/v1/integrations/{slug}", slug=slug), options=request_options)

    def status(self, slug: str, request_options: RequestOptions | None = None) -> t.ConnectionHealth:
        """Ask the vendor whether the connection works. `GET /api/v1/integrations/{slug}/status`"""
        return self._request("GET", path_of("/api/v1/integrations/{slug}/status", slug=slug), options=request_options)

    def update_config(self, slug: str, request_options: RequestOptions | None = None, **body: Unpack[t.UpdateConfigRequest]) -> t.IntegrationInfo:
        """Merge keys into the settings of a connected integration. `PATCH /api/v1/integrations/{slug}/config`"""
        return self._request("PATCH", path_of("/api/v1/integrations/{slug}/config", slug=slug), body=dict(body), options=request_options)


class AnalyticsResource(Resource):
    def overview(self, request_options: RequestOptions | None = None) -> t.OverviewResponse:
        """Calls, outcomes and latencies of the last 30 days. `GET /api/v1/analytics/overview`"""
        return self._request("GET", "/api/v1/analytics/overview", options=request_options)

    def trends(self, request_options: RequestOptions | None = None, **query: Unpack[GetAnalyticsTrendsQuery]) -> t.TrendsResponse:
        """Calls, cost and latency over any range, by day, week or month, and by agent. `GET /api/v1/analytics/trends`"""
        return self._request("GET", "/api/v1/analytics/trends", query=dict(query), options=request_options)


class BillingResource(Resource):
    def usage(self, request_options: RequestOptions | None = None, **query: Unpack[GetUsageQuery]) -> t.UsageSummary:
        """Usage of the month and by day. `GET /api/v1/billing/usage`"""
        return self._request("GET", "/api/v1/billing/usage", query=dict(query), options=request_options)

    def set_up(self, request_options: RequestOptions | None = None, **body: Unpack[t.CheckoutRequest]) -> t.CheckoutResponse:
        """Set up a payment method. `POST /api/v1/billing/setup`"""
        return self._request("POST", "/api/v1/billing/setup", body=dict(body), options=request_options)

    def checkout(self, request_options: RequestOptions | None = None, **body: Unpack[t.CheckoutRequest]) -> t.CheckoutResponse:
        """Pay for a fixed tier. `POST /api/v1/billing/checkout`"""
        return self._request("POST", "/api/v1/billing/checkout", body=dict(body), options=request_options)

    def portal(self, request_options: RequestOptions | None = None) -> t.PortalResponse:
        """Open the payment provider's portal. `POST /api/v1/billing/portal`"""
        return self._request("POST", "/api/v1/billing/portal", options=request_options)


class SettingsResource(Resource):
    def get(self, request_options: RequestOptions | None = None) -> t.SettingsResponse:
        """Get the settings. `GET /api/v1/settings`"""
        return self._request("GET", "/api/v1/settings", options=request_options)

    def update(self, request_options: RequestOptions | None = None, **body: Unpack[t.SettingsUpdate]) -> t.SettingsResponse:
        """Change the settings. `PATCH /api/v1/settings`"""
        return self._request("PATCH", "/api/v1/settings", body=dict(body), options=request_options)


class MembersResource(Resource):
    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListMembersQuery]) -> Pages[t.MemberResponse]:
        """List the members. `GET /api/v1/members`"""
        return self._pages("/api/v1/members", "members", "cursor", query=dict(query), options=request_options)

    def get(self, member_id: str, request_options: RequestOptions | None = None) -> t.MemberResponse:
        """Get a member. `GET /api/v1/members/{member_id}`"""
        return self._request("GET", path_of("/api/v1/members/{member_id}", member_id=member_id), options=request_options)

    def update(self, member_id: str, request_options: RequestOptions | None = None, **body: Unpack[t.MemberUpdate]) -> t.MemberResponse:
        """Change a member's role or name. `PATCH /api/v1/members/{member_id}`"""
        return self._request("PATCH", path_of("/api/v1/members/{member_id}", member_id=member_id), body=dict(body), options=request_options)

    def remove(self, member_id: str, request_options: RequestOptions | None = None) -> None:
        """Remove a member. `DELETE /api/v1/members/{member_id}`"""
        return self._request("DELETE", path_of("/api/v1/members/{member_id}", member_id=member_id), options=request_options)

    def create_login_link(self, member_id: str, request_options: RequestOptions | None = None) -> t.MemberLoginLinkResponse:
        """Make a login link for a member. `POST /api/v1/members/{member_id}/login-link`"""
        return self._request("POST", path_of("/api/v1/members/{member_id}/login-link", member_id=member_id), options=request_options)


class InvitationsResource(Resource):
    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListInvitationsQuery]) -> Pages[t.InvitationResponse]:
        """List open invitations. `GET /api/v1/invitations`"""
        return self._pages("/api/v1/invitations", "invitations", "cursor", query=dict(query), options=request_options)

    def create(self, request_options: RequestOptions | None = None, **body: Unpack[t.InvitationCreate]) -> t.InvitationCreateResponse:
        """Invite somebody. `POST /api/v1/invitations`"""
        return self._request("POST", "/api/v1/invitations", body=dict(body), options=request_options)

    def revoke(self, invitation_id: str, request_options: RequestOptions | None = None) -> None:
        """Revoke an invitation. `DELETE /api/v1/invitations/{invitation_id}`"""
        return self._request("DELETE", path_of("/api/v1/invitations/{invitation_id}", invitation_id=invitation_id), options=request_options)


class VoicesResource(Resource):
    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListVoicesQuery]) -> Pages[t.Voice]:
        """List the voices that agents can have. `GET /api/v1/voices`"""
        return self._pages("/api/v1/voices", "voices", "cursor", query=dict(query), options=request_options)


class VendorKeysResource(Resource):
    def list(self, request_options: RequestOptions | None = None) -> t.VendorKeyListResponse:
        """List the tenant's own keys at vendors. `GET /api/v1/vendor-keys`"""
        return self._request("GET", "/api/v1/vendor-keys", options=request_options)

    def get(self, provider: str, request_options: RequestOptions | None = None) -> t.VendorKey:
        """Get what is known of the tenant's key at a vendor. `GET /api/v1/vendor-keys/{provider}`"""
        return self._request("GET", path_of("/api/v1/vendor-keys/{provider}", provider=provider), options=request_options)

    def set(self, provider: str, request_options: RequestOptions | None = None, **body: Unpack[t.VendorKeySetRequest]) -> t.VendorKey:
        """Set or replace the key at a vendor. `PUT /api/v1/vendor-keys/{provider}`"""
        return self._request("PUT", path_of("/api/v1/vendor-keys/{provider}", provider=provider), body=dict(body), options=request_options)

    def delete(self, provider: str, request_options: RequestOptions | None = None) -> None:
        """Delete the key at a vendor. `DELETE /api/v1/vendor-keys/{provider}`"""
        return self._request("DELETE", path_of("/api/v1/vendor-keys/{provider}", provider=provider), options=request_options)

    def check(self, provider: str, request_options: RequestOptions | None = None) -> t.VendorKeyCheck:
        """Ask the vendor whether it takes the key. `POST /api/v1/vendor-keys/{provider}/check`"""
        return self._request("POST", path_of("/api/v1/vendor-keys/{provider}/check", provider=provider), options=request_options)


class ApiKeysResource(Resource):
    def list(self, request_options: RequestOptions | None = None, **query: Unpack[ListApiKeysQuery]) -> Pages[t.ApiKeyResponse]:
        """List API keys. `GET /api/v1/keys`"""
        return self._pages("/api/v1/keys", "keys", "cursor", query=dict(query), options=request_options)

    def create(self, request_options: RequestOptions | None = None, **body: Unpack[t.ApiKeyCreateRequest]) -> t.ApiKeyCreateResponse:
        """Create an API key. `POST /api/v1/keys`"""
        return self._request("POST", "/api/v1/keys", body=dict(body), options=request_options)

    def delete(self, key_id: str, request_options: RequestOptions | None = None) -> None:
        """Delete an API key. `DELETE /api/v1/keys/{key_id}`"""
        return self._request("DELETE", path_of("/api/v1/keys/{key_id}", key_id=key_id), options=request_options)

