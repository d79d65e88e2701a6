// Generated from the OpenAPI description by `npm run clients`. Change the API or clients/generate, not this.
import type { Pages } from '../pages.js';
import { pathOf, Resource } from '../resource.js';
import type { RequestOptions } from '../transport.js';
import type {
  AgentCreate,
  AgentEstimateRequest,
  AgentEstimateResponse,
  AgentListResponse,
  AgentResponse,
  AgentTemplateCloneRequest,
  AgentTemplateCloneResponse,
  AgentTemplateListResponse,
  AgentTemplateResponse,
  AgentUpdate,
  AgentVersionDiffResponse,
  AgentVersionListResponse,
  AgentVersionResponse,
  AgentVersionSummary,
  ApiKeyConnectRequest,
  ApiKeyCreateRequest,
  ApiKeyCreateResponse,
  ApiKeyListResponse,
  ApiKeyResponse,
  AssignAgentRequest,
  AvailableNumber,
  CallCreate,
  CallCreateResponse,
  CallDecisionsResponse,
  CallDeliveriesResponse,
  CallDetailResponse,
  CallErasureResponse,
  CallListResponse,
  CallResponse,
  CallTransfer,
  CallTransferResponse,
  CampaignAnalytics,
  CampaignContactListResponse,
  CampaignContactResponse,
  CampaignCreate,
  CampaignCreateResponse,
  CampaignCriteriaUpdate,
  CampaignExtractedDataResponse,
  CampaignExtractedRow,
  CampaignInsights,
  CampaignListResponse,
  CampaignResponse,
  CampaignSummary,
  CampaignTransitionResponse,
  CheckoutRequest,
  CheckoutResponse,
  ComplianceCheckListResponse,
  ComplianceCheckRequest,
  ComplianceCheckResponse,
  ComplianceCheckSummary,
  ConfirmRequest,
  ConfirmResponse,
  ConnectResponse,
  ConnectionHealth,
  ContactRescheduleRequest,
  DeliveryDetailResponse,
  DeliveryResponse,
  DisconnectResponse,
  DncEntryCreate,
  DncEntryResponse,
  DncListResponse,
  EventCatalogResponse,
  EventListResponse,
  EventResponse,
  GenerateCriteriaRequest,
  GenerateCriteriaResponse,
  HangupRequest,
  HangupResponse,
  ImportNumberRequest,
  IntegrationInfo,
  InvitationCreate,
  InvitationCreateResponse,
  InvitationListResponse,
  InvitationResponse,
  LiveLinkResponse,
  MemberListResponse,
  MemberLoginLinkResponse,
  MemberResponse,
  MemberUpdate,
  NudgePresetsResponse,
  NudgeRequest,
  OfferTestSessionResponse,
  OperatorActionAccepted,
  OperatorActionListResponse,
  OverviewResponse,
  PhoneNumberListResponse,
  PhoneNumberResponse,
  PortalResponse,
  ProviderListResponse,
  ProvisionRequest,
  SdpOffer,
  SettingsResponse,
  SettingsUpdate,
  StartRequest,
  StartResponse,
  TestCallRequest,
  TestFireRequest,
  TestSessionPending,
  TestSessionResult,
  ToolTestRequest,
  ToolTestResponse,
  TrendsResponse,
  UpdateConfigRequest,
  UpdateNudgePresetsRequest,
  UsageSummary,
  VendorKey,
  VendorKeyCheck,
  VendorKeyListResponse,
  VendorKeySetRequest,
  Voice,
  VoiceListResponse,
  VoiceTestRequest,
  WebRTCSessionCreate,
  WebhookConfigRequest,
  WebhookConfigResponse,
  WebhookCreate,
  WebhookCreateResponse,
  WebhookResponse,
  WebhookUpdate,
  WhisperRequest,
  WsSessionCreate,
} from './types.js';

export class AgentsResource extends Resource {
  /** Create an agent. `POST /api/v1/agents` */
  create(body: AgentCreate, options?: RequestOptions): Promise<AgentResponse> {
    return this.request('POST', '/api/v1/agents', { body, ...options });
  }

  /** List agents. `GET /api/v1/agents` */
  list(query: { limit?: number; active_only?: boolean; include_total?: boolean } = {}, options?: RequestOptions): Pages<AgentResponse, AgentListResponse> {
    return this.pages('/api/v1/agents', 'agents', 'cursor', { query, ...options });
  }

  /** Get an agent. `GET /api/v1/agents/{agent_id}` */
  get(agentId: string, options?: RequestOptions): Promise<AgentResponse> {
    return this.request('GET', pathOf`/api/v1/agents/${agentId}`, { ...options });
  }

  /** Change an agent. `PATCH /api/v1/agents/{agent_id}` */
  update(agentId: string, body: AgentUpdate, options?: RequestOptions): Promise<AgentResponse> {
    return this.request('PATCH', pathOf`/api/v1/agents/${agentId}`, { body, ...options });
  }

  /** Switch an agent off. `DELETE /api/v1/agents/{agent_id}` */
  delete(agentId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/agents/${agentId}`, { ...options });
  }

  /** List the canonical providers. `GET /api/v1/providers` */
  providers(options?: RequestOptions): Promise<ProviderListResponse> {
    return this.request('GET', '/api/v1/providers', { ...options });
  }

  /** List an agent's versions. `GET /api/v1/agents/{agent_id}/versions` */
  versions(agentId: string, query: { limit?: number } = {}, options?: RequestOptions): Pages<AgentVersionSummary, AgentVersionListResponse> {
    return this.pages(pathOf`/api/v1/agents/${agentId}/versions`, 'versions', 'cursor', { query, ...options });
  }

  /** Get a version of an agent. `GET /api/v1/agents/{agent_id}/versions/{version}` */
  getVersion(agentId: string, version: string, options?: RequestOptions): Promise<AgentVersionResponse> {
    return this.request('GET', pathOf`/api/v1/agents/${agentId}/versions/${version}`, { ...options });
  }

  /** Compare two versions of an agent. `GET /api/v1/agents/{agent_id}/versions/{version}/diff` */
  diffVersions(agentId: string, version: string, query: { to?: number } = {}, options?: RequestOptions): Promise<AgentVersionDiffResponse> {
    return this.request('GET', pathOf`/api/v1/agents/${agentId}/versions/${version}/diff`, { query, ...options });
  }

  /** Restore a version of an agent. `POST /api/v1/agents/{agent_id}/versions/{version}/restore` */
  restoreVersion(agentId: string, version: string, options?: RequestOptions): Promise<AgentResponse> {
    return this.request('POST', pathOf`/api/v1/agents/${agentId}/versions/${version}/restore`, { ...options });
  }

  /** Estimate what an agent costs a minute, and how soon it answers. `GET /api/v1/agents/{agent_id}/estimate` */
  estimate(agentId: string, query: { to_number?: string } = {}, options?: RequestOptions): Promise<AgentEstimateResponse> {
    return this.request('GET', pathOf`/api/v1/agents/${agentId}/estimate`, { query, ...options });
  }

  /** Estimate an agent with other voices, models or turn-taking, before it is saved. `POST /api/v1/agents/{agent_id}/estimate` */
  estimateChange(agentId: string, body: AgentEstimateRequest, options?: RequestOptions): Promise<AgentEstimateResponse> {
    return this.request('POST', pathOf`/api/v1/agents/${agentId}/estimate`, { body, ...options });
  }

  /** Try an HTTP tool out. `POST /api/v1/agents/{agent_id}/test/tool` */
  testTool(agentId: string, body: ToolTestRequest, options?: RequestOptions): Promise<ToolTestResponse> {
    return this.request('POST', pathOf`/api/v1/agents/${agentId}/test/tool`, { body, ...options });
  }

  /** Get an agent's nudge presets. `GET /api/v1/agents/{agent_id}/nudge-presets` */
  nudgePresets(agentId: string, options?: RequestOptions): Promise<NudgePresetsResponse> {
    return this.request('GET', pathOf`/api/v1/agents/${agentId}/nudge-presets`, { ...options });
  }

  /** Replace an agent's nudge presets. `PUT /api/v1/agents/{agent_id}/nudge-presets` */
  replaceNudgePresets(agentId: string, body: UpdateNudgePresetsRequest, options?: RequestOptions): Promise<NudgePresetsResponse> {
    return this.request('PUT', pathOf`/api/v1/agents/${agentId}/nudge-presets`, { body, ...options });
  }
}

export class AgentTemplatesResource extends Resource {
  /** List the built-in agent templates. `GET /api/v1/agent-templates` */
  list(options?: RequestOptions): Promise<AgentTemplateListResponse> {
    return this.request('GET', '/api/v1/agent-templates', { ...options });
  }

  /** Get an agent template. `GET /api/v1/agent-templates/{slug}` */
  get(slug: string, options?: RequestOptions): Promise<AgentTemplateResponse> {
    return this.request('GET', pathOf`/api/v1/agent-templates/${slug}`, { ...options });
  }

  /** Make an agent of a template. `POST /api/v1/agent-templates/{slug}/clone` */
  clone(slug: string, body: AgentTemplateCloneRequest = {}, options?: RequestOptions): Promise<AgentTemplateCloneResponse> {
    return this.request('POST', pathOf`/api/v1/agent-templates/${slug}/clone`, { body, ...options });
  }
}

export class CallsResource extends Resource {
  /** Place a call. `POST /api/v1/calls` */
  create(body: CallCreate, options?: RequestOptions): Promise<CallCreateResponse> {
    return this.request('POST', '/api/v1/calls', { body, ...options });
  }

  /** Try an agent out by a call. `POST /api/v1/calls/test` */
  createTest(body: TestCallRequest, options?: RequestOptions): Promise<CallCreateResponse> {
    return this.request('POST', '/api/v1/calls/test', { body, ...options });
  }

  /** List calls. `GET /api/v1/calls` */
  list(query: { limit?: number; status?: 'QUEUED' | 'RINGING' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'BUSY' | 'NO_ANSWER' | 'VOICEMAIL'; direction?: 'inbound' | 'outbound'; agent_id?: string; q?: string; include_total?: boolean } = {}, options?: RequestOptions): Pages<CallResponse, CallListResponse> {
    return this.pages('/api/v1/calls', 'calls', 'cursor', { query, ...options });
  }

  /** Get a call. `GET /api/v1/calls/{call_id}` */
  get(callId: string, options?: RequestOptions): Promise<CallResponse> {
    return this.request('GET', pathOf`/api/v1/calls/${callId}`, { ...options });
  }

  /** Get a call with its transcript, metrics and timeline. `GET /api/v1/calls/{call_id}/detail` */
  detail(callId: string, options?: RequestOptions): Promise<CallDetailResponse> {
    return this.request('GET', pathOf`/api/v1/calls/${callId}/detail`, { ...options });
  }

  /** Why the agent spoke, waited or fell silent. `GET /api/v1/calls/{call_id}/decisions` */
  decisions(callId: string, options?: RequestOptions): Promise<CallDecisionsResponse> {
    return this.request('GET', pathOf`/api/v1/calls/${callId}/decisions`, { ...options });
  }

  /** List the webhook deliveries of a call's events. `GET /api/v1/calls/{call_id}/deliveries` */
  deliveries(callId: string, query: { limit?: number } = {}, options?: RequestOptions): Pages<DeliveryResponse, CallDeliveriesResponse> {
    return this.pages(pathOf`/api/v1/calls/${callId}/deliveries`, 'deliveries', 'cursor', { query, ...options });
  }

  /** Hang up. `POST /api/v1/calls/{call_id}/hangup` */
  hangUp(callId: string, body: HangupRequest = {}, options?: RequestOptions): Promise<HangupResponse> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/hangup`, { body, ...options });
  }

  /** Erase a call. `DELETE /api/v1/calls/{call_id}` */
  erase(callId: string, options?: RequestOptions): Promise<CallErasureResponse> {
    return this.request('DELETE', pathOf`/api/v1/calls/${callId}`, { ...options });
  }

  /** Transfer a live call to a human. `POST /api/v1/calls/{call_id}/transfer` */
  transfer(callId: string, body: CallTransfer, options?: RequestOptions): Promise<CallTransferResponse> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/transfer`, { body, ...options });
  }

  /** Whisper to the agent. `POST /api/v1/calls/{call_id}/whisper` */
  whisper(callId: string, body: WhisperRequest, options?: RequestOptions): Promise<OperatorActionAccepted> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/whisper`, { body, ...options });
  }

  /** Nudge the agent with a preset. `POST /api/v1/calls/{call_id}/nudge` */
  nudge(callId: string, body: NudgeRequest, options?: RequestOptions): Promise<OperatorActionAccepted> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/nudge`, { body, ...options });
  }

  /** Stop recording for a while. `POST /api/v1/calls/{call_id}/recording/pause` */
  pauseRecording(callId: string, options?: RequestOptions): Promise<OperatorActionAccepted> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/recording/pause`, { ...options });
  }

  /** Go on recording. `POST /api/v1/calls/{call_id}/recording/resume` */
  resumeRecording(callId: string, options?: RequestOptions): Promise<OperatorActionAccepted> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/recording/resume`, { ...options });
  }

  /** List what operators did to a call. `GET /api/v1/calls/{call_id}/operator-actions` */
  operatorActions(callId: string, options?: RequestOptions): Promise<OperatorActionListResponse> {
    return this.request('GET', pathOf`/api/v1/calls/${callId}/operator-actions`, { ...options });
  }

  /** Get links to a live call for a browser. `POST /api/v1/calls/{call_id}/live-link` */
  createLiveLink(callId: string, options?: RequestOptions): Promise<LiveLinkResponse> {
    return this.request('POST', pathOf`/api/v1/calls/${callId}/live-link`, { ...options });
  }
}

export class CampaignsResource extends Resource {
  /** Create a campaign. `POST /api/v1/campaigns` */
  create(body: CampaignCreate, options?: RequestOptions): Promise<CampaignCreateResponse> {
    return this.request('POST', '/api/v1/campaigns', { body, ...options });
  }

  /** List campaigns. `GET /api/v1/campaigns` */
  list(query: { limit?: number; status?: string; include_total?: boolean } = {}, options?: RequestOptions): Pages<CampaignSummary, CampaignListResponse> {
    return this.pages('/api/v1/campaigns', 'campaigns', 'cursor', { query, ...options });
  }

  /** Get a campaign. `GET /api/v1/campaigns/{campaign_id}` */
  get(campaignId: string, options?: RequestOptions): Promise<CampaignResponse> {
    return this.request('GET', pathOf`/api/v1/campaigns/${campaignId}`, { ...options });
  }

  /** Change the success criteria of a draft. `PATCH /api/v1/campaigns/{campaign_id}` */
  updateCriteria(campaignId: string, body: CampaignCriteriaUpdate, options?: RequestOptions): Promise<CampaignResponse> {
    return this.request('PATCH', pathOf`/api/v1/campaigns/${campaignId}`, { body, ...options });
  }

  /** Propose outcome labels and an extraction schema for a goal. `POST /api/v1/campaigns/generate-criteria` */
  generateCriteria(body: GenerateCriteriaRequest, options?: RequestOptions): Promise<GenerateCriteriaResponse> {
    return this.request('POST', '/api/v1/campaigns/generate-criteria', { body, ...options });
  }

  /** Start or resume a campaign. `POST /api/v1/campaigns/{campaign_id}/start` */
  start(campaignId: string, options?: RequestOptions): Promise<CampaignTransitionResponse> {
    return this.request('POST', pathOf`/api/v1/campaigns/${campaignId}/start`, { ...options });
  }

  /** Pause a campaign. `POST /api/v1/campaigns/{campaign_id}/pause` */
  pause(campaignId: string, options?: RequestOptions): Promise<CampaignTransitionResponse> {
    return this.request('POST', pathOf`/api/v1/campaigns/${campaignId}/pause`, { ...options });
  }

  /** Cancel a campaign. `POST /api/v1/campaigns/{campaign_id}/cancel` */
  cancel(campaignId: string, options?: RequestOptions): Promise<CampaignTransitionResponse> {
    return this.request('POST', pathOf`/api/v1/campaigns/${campaignId}/cancel`, { ...options });
  }

  /** List a campaign's contacts. `GET /api/v1/campaigns/{campaign_id}/contacts` */
  contacts(campaignId: string, query: { limit?: number; status?: string; include_total?: boolean } = {}, options?: RequestOptions): Pages<CampaignContactResponse, CampaignContactListResponse> {
    return this.pages(pathOf`/api/v1/campaigns/${campaignId}/contacts`, 'contacts', 'offset', { query, ...options });
  }

  /** Call a contact (again) at a given time. `POST /api/v1/campaigns/{campaign_id}/contacts/{contact_id}/reschedule` */
  rescheduleContact(campaignId: string, contactId: string, body: ContactRescheduleRequest, options?: RequestOptions): Promise<CampaignContactResponse> {
    return this.request('POST', pathOf`/api/v1/campaigns/${campaignId}/contacts/${contactId}/reschedule`, { body, ...options });
  }

  /** Outcome funnel, metrics and time series. `GET /api/v1/campaigns/{campaign_id}/analytics` */
  analytics(campaignId: string, options?: RequestOptions): Promise<CampaignAnalytics> {
    return this.request('GET', pathOf`/api/v1/campaigns/${campaignId}/analytics`, { ...options });
  }

  /** Insights into failed and low-quality calls. `GET /api/v1/campaigns/{campaign_id}/insights` */
  insights(campaignId: string, options?: RequestOptions): Promise<CampaignInsights> {
    return this.request('GET', pathOf`/api/v1/campaigns/${campaignId}/insights`, { ...options });
  }

  /** Data extracted from analysed calls. `GET /api/v1/campaigns/{campaign_id}/extracted-data` */
  extractedData(campaignId: string, query: { outcome?: string; sort?: 'started_at' | 'outcome_score' | 'duration_seconds'; order?: 'asc' | 'desc'; limit?: number; include_total?: boolean } = {}, options?: RequestOptions): Pages<CampaignExtractedRow, CampaignExtractedDataResponse> {
    return this.pages(pathOf`/api/v1/campaigns/${campaignId}/extracted-data`, 'data', 'offset', { query, ...options });
  }
}

export class ComplianceResource extends Resource {
  /** Check a number. `POST /api/v1/compliance/check` */
  check(body: ComplianceCheckRequest, options?: RequestOptions): Promise<ComplianceCheckResponse> {
    return this.request('POST', '/api/v1/compliance/check', { body, ...options });
  }

  /** Get a stored check. `GET /api/v1/compliance/checks/{check_id}` */
  getCheck(checkId: string, options?: RequestOptions): Promise<ComplianceCheckResponse> {
    return this.request('GET', pathOf`/api/v1/compliance/checks/${checkId}`, { ...options });
  }

  /** List the stored checks. `GET /api/v1/compliance/checks` */
  checks(query: { limit?: number; decision?: 'allowed' | 'denied'; reason?: string; to_number?: string; include_total?: boolean } = {}, options?: RequestOptions): Pages<ComplianceCheckSummary, ComplianceCheckListResponse> {
    return this.pages('/api/v1/compliance/checks', 'checks', 'cursor', { query, ...options });
  }
}

export class DoNotCallResource extends Resource {
  /** List the do-not-call entries. `GET /api/v1/compliance/dnc` */
  list(query: { limit?: number; phone_number?: string; source?: 'api' | 'import' | 'opt_out'; include_total?: boolean } = {}, options?: RequestOptions): Pages<DncEntryResponse, DncListResponse> {
    return this.pages('/api/v1/compliance/dnc', 'entries', 'cursor', { query, ...options });
  }

  /** Put a number on the do-not-call list. `POST /api/v1/compliance/dnc` */
  add(body: DncEntryCreate, options?: RequestOptions): Promise<DncEntryResponse> {
    return this.request('POST', '/api/v1/compliance/dnc', { body, ...options });
  }

  /** Get a do-not-call entry. `GET /api/v1/compliance/dnc/{entry_id}` */
  get(entryId: string, options?: RequestOptions): Promise<DncEntryResponse> {
    return this.request('GET', pathOf`/api/v1/compliance/dnc/${entryId}`, { ...options });
  }

  /** Take a number off the do-not-call list. `DELETE /api/v1/compliance/dnc/{entry_id}` */
  remove(entryId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/compliance/dnc/${entryId}`, { ...options });
  }
}

export class PhoneNumbersResource extends Resource {
  /** Search numbers that can be bought. `GET /api/v1/phones/available` */
  search(query: { country?: string; area_code?: string; provider?: 'twilio' | 'telnyx' | 'plivo' | 'simulated'; limit?: number } = {}, options?: RequestOptions): Promise<AvailableNumber[]> {
    return this.request('GET', '/api/v1/phones/available', { query, ...options });
  }

  /** List the tenant's numbers. `GET /api/v1/phones` */
  list(options?: RequestOptions): Promise<PhoneNumberListResponse> {
    return this.request('GET', '/api/v1/phones', { ...options });
  }

  /** Buy a number. `POST /api/v1/phones` */
  buy(body: ProvisionRequest, options?: RequestOptions): Promise<PhoneNumberResponse> {
    return this.request('POST', '/api/v1/phones', { body, ...options });
  }

  /** Bring a number along. `POST /api/v1/phones/import` */
  import(body: ImportNumberRequest, options?: RequestOptions): Promise<PhoneNumberResponse> {
    return this.request('POST', '/api/v1/phones/import', { body, ...options });
  }

  /** Assign the agent that answers. `PATCH /api/v1/phones/{phone_id}` */
  assignAgent(phoneId: string, body: AssignAgentRequest, options?: RequestOptions): Promise<PhoneNumberResponse> {
    return this.request('PATCH', pathOf`/api/v1/phones/${phoneId}`, { body, ...options });
  }

  /** Release a number. `DELETE /api/v1/phones/{phone_id}` */
  release(phoneId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/phones/${phoneId}`, { ...options });
  }
}

export class VerificationsResource extends Resource {
  /** Send a verification code. `POST /api/v1/verifications` */
  start(body: StartRequest, options?: RequestOptions): Promise<StartResponse> {
    return this.request('POST', '/api/v1/verifications', { body, ...options });
  }

  /** Confirm a verification code. `POST /api/v1/verifications/confirm` */
  confirm(body: ConfirmRequest, options?: RequestOptions): Promise<ConfirmResponse> {
    return this.request('POST', '/api/v1/verifications/confirm', { body, ...options });
  }
}

export class WebhooksResource extends Resource {
  /** The event catalog. `GET /api/v1/webhooks/event-types` */
  eventTypes(options?: RequestOptions): Promise<EventCatalogResponse> {
    return this.request('GET', '/api/v1/webhooks/event-types', { ...options });
  }

  /** List webhook subscriptions. `GET /api/v1/webhooks` */
  list(options?: RequestOptions): Promise<WebhookResponse[]> {
    return this.request('GET', '/api/v1/webhooks', { ...options });
  }

  /** Create a webhook subscription. `POST /api/v1/webhooks` */
  create(body: WebhookCreate, options?: RequestOptions): Promise<WebhookCreateResponse> {
    return this.request('POST', '/api/v1/webhooks', { body, ...options });
  }

  /** Get a webhook subscription. `GET /api/v1/webhooks/{webhook_id}` */
  get(webhookId: string, options?: RequestOptions): Promise<WebhookResponse> {
    return this.request('GET', pathOf`/api/v1/webhooks/${webhookId}`, { ...options });
  }

  /** Change a webhook subscription. `PATCH /api/v1/webhooks/{webhook_id}` */
  update(webhookId: string, body: WebhookUpdate, options?: RequestOptions): Promise<WebhookResponse> {
    return this.request('PATCH', pathOf`/api/v1/webhooks/${webhookId}`, { body, ...options });
  }

  /** Delete a webhook subscription. `DELETE /api/v1/webhooks/{webhook_id}` */
  delete(webhookId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/webhooks/${webhookId}`, { ...options });
  }

  /** Send a test event. `POST /api/v1/webhooks/{webhook_id}/test` */
  test(webhookId: string, body: TestFireRequest, options?: RequestOptions): Promise<DeliveryResponse> {
    return this.request('POST', pathOf`/api/v1/webhooks/${webhookId}/test`, { body, ...options });
  }

  /** List deliveries. `GET /api/v1/webhooks/{webhook_id}/deliveries` */
  deliveries(webhookId: string, query: { limit?: number } = {}, options?: RequestOptions): Promise<DeliveryResponse[]> {
    return this.request('GET', pathOf`/api/v1/webhooks/${webhookId}/deliveries`, { query, ...options });
  }

  /** List the events that were published. `GET /api/v1/events` */
  events(query: { limit?: number; event_type?: 'call.started' | 'call.completed' | 'call.failed' | 'call.hangup' | 'call.transferred' | 'transcript.ready' | 'recording.ready' | 'analysis.ready' | 'campaign.started' | 'campaign.completed' | 'campaign.contact.completed' | 'agent.activated' | 'agent.deactivated' | 'usage.credit_exhausted' | 'usage.daily_cap_approaching' } = {}, options?: RequestOptions): Pages<EventResponse, EventListResponse> {
    return this.pages('/api/v1/events', 'events', 'cursor', { query, ...options });
  }

  /** Get a delivery with its body. `GET /api/v1/webhooks/deliveries/{delivery_id}/detail` */
  delivery(deliveryId: string, options?: RequestOptions): Promise<DeliveryDetailResponse> {
    return this.request('GET', pathOf`/api/v1/webhooks/deliveries/${deliveryId}/detail`, { ...options });
  }

  /** Send a delivery again. `POST /api/v1/webhooks/deliveries/{delivery_id}/replay` */
  replayDelivery(deliveryId: string, options?: RequestOptions): Promise<DeliveryResponse> {
    return this.request('POST', pathOf`/api/v1/webhooks/deliveries/${deliveryId}/replay`, { ...options });
  }

  /** Get the tenant's single webhook. `GET /api/v1/webhooks/config` */
  config(options?: RequestOptions): Promise<WebhookConfigResponse> {
    return this.request('GET', '/api/v1/webhooks/config', { ...options });
  }

  /** Set the tenant's single webhook. `PUT /api/v1/webhooks/config` */
  setConfig(body: WebhookConfigRequest, options?: RequestOptions): Promise<WebhookConfigResponse> {
    return this.request('PUT', '/api/v1/webhooks/config', { body, ...options });
  }

  /** Remove the tenant's single webhook. `DELETE /api/v1/webhooks/config` */
  deleteConfig(options?: RequestOptions): Promise<void> {
    return this.request('DELETE', '/api/v1/webhooks/config', { ...options });
  }
}

export class TestSessionsResource extends Resource {
  /** Talk to an agent over a WebSocket. `POST /api/v1/agents/{agent_id}/test/websocket` */
  createWebSocket(agentId: string, body: VoiceTestRequest = {}, options?: RequestOptions): Promise<WsSessionCreate> {
    return this.request('POST', pathOf`/api/v1/agents/${agentId}/test/websocket`, { body, ...options });
  }

  /** Talk to an agent over WebRTC. `POST /api/v1/agents/{agent_id}/test/webrtc` */
  createWebRtc(agentId: string, body: VoiceTestRequest = {}, options?: RequestOptions): Promise<WebRTCSessionCreate> {
    return this.request('POST', pathOf`/api/v1/agents/${agentId}/test/webrtc`, { body, ...options });
  }

  /** Send a WebRTC offer to the session's worker. `POST /api/v1/test-sessions/{session_id}/offer` */
  offer(sessionId: string, body: SdpOffer, options?: RequestOptions): Promise<OfferTestSessionResponse> {
    return this.request('POST', pathOf`/api/v1/test-sessions/${sessionId}/offer`, { body, ...options });
  }

  /** What a test session came to. `GET /api/v1/test-sessions/{session_id}/result` */
  result(sessionId: string, options?: RequestOptions): Promise<TestSessionResult | TestSessionPending> {
    return this.request('GET', pathOf`/api/v1/test-sessions/${sessionId}/result`, { ...options });
  }
}

export class IntegrationsResource extends Resource {
  /** List all integrations with how they are connected. `GET /api/v1/integrations` */
  list(options?: RequestOptions): Promise<IntegrationInfo[]> {
    return this.request('GET', '/api/v1/integrations', { ...options });
  }

  /** Begin to connect by OAuth. `POST /api/v1/integrations/{slug}/connect` */
  connect(slug: string, options?: RequestOptions): Promise<ConnectResponse> {
    return this.request('POST', pathOf`/api/v1/integrations/${slug}/connect`, { ...options });
  }

  /** Connect by a key, token or webhook URL. `POST /api/v1/integrations/{slug}/api-key-connect` */
  connectByKey(slug: string, body: ApiKeyConnectRequest, options?: RequestOptions): Promise<IntegrationInfo> {
    return this.request('POST', pathOf`/api/v1/integrations/${slug}/api-key-connect`, { body, ...options });
  }

  /** Revoke the tokens and remove the connection. `DELETE /api/v1/integrations/{slug}` */
  disconnect(slug: string, options?: RequestOptions): Promise<DisconnectResponse> {
    return this.request('DELETE', pathOf`/api/v1/integrations/${slug}`, { ...options });
  }

  /** Ask the vendor whether the connection works. `GET /api/v1/integrations/{slug}/status` */
  status(slug: string, options?: RequestOptions): Promise<ConnectionHealth> {
    return this.request('GET', pathOf`/api/v1/integrations/${slug}/status`, { ...options });
  }

  /** Merge keys into the settings of a connected integration. `PATCH /api/v1/integrations/{slug}/config` */
  updateConfig(slug: string, body: UpdateConfigRequest, options?: RequestOptions): Promise<IntegrationInfo> {
    return this.request('PATCH', pathOf`/api/v1/integrations/${slug}/config`, { body, ...options });
  }
}

export class AnalyticsResource extends Resource {
  /** Calls, outcomes and latencies of the last 30 days. `GET /api/v1/analytics/overview` */
  overview(options?: RequestOptions): Promise<OverviewResponse> {
    return this.request('GET', '/api/v1/analytics/overview', { ...options });
  }

  /** Calls, cost and latency over any range, by day, week or month, and by agent. `GET /api/v1/analytics/trends` */
  trends(query: { start?: string; end?: string; bucket?: 'day' | 'week' | 'month' } = {}, options?: RequestOptions): Promise<TrendsResponse> {
    return this.request('GET', '/api/v1/analytics/trends', { query, ...options });
  }
}

export class BillingResource extends Resource {
  /** Usage of the month and by day. `GET /api/v1/billing/usage` */
  usage(query: { days?: number } = {}, options?: RequestOptions): Promise<UsageSummary> {
    return this.request('GET', '/api/v1/billing/usage', { query, ...options });
  }

  /** Set up a payment method. `POST /api/v1/billing/setup` */
  setUp(body: CheckoutRequest = {}, options?: RequestOptions): Promise<CheckoutResponse> {
    return this.request('POST', '/api/v1/billing/setup', { body, ...options });
  }

  /** Pay for a fixed tier. `POST /api/v1/billing/checkout` */
  checkout(body: CheckoutRequest, options?: RequestOptions): Promise<CheckoutResponse> {
    return this.request('POST', '/api/v1/billing/checkout', { body, ...options });
  }

  /** Open the payment provider's portal. `POST /api/v1/billing/portal` */
  portal(options?: RequestOptions): Promise<PortalResponse> {
    return this.request('POST', '/api/v1/billing/portal', { ...options });
  }
}

export class SettingsResource extends Resource {
  /** Get the settings. `GET /api/v1/settings` */
  get(options?: RequestOptions): Promise<SettingsResponse> {
    return this.request('GET', '/api/v1/settings', { ...options });
  }

  /** Change the settings. `PATCH /api/v1/settings` */
  update(body: SettingsUpdate, options?: RequestOptions): Promise<SettingsResponse> {
    return this.request('PATCH', '/api/v1/settings', { body, ...options });
  }
}

export class MembersResource extends Resource {
  /** List the members. `GET /api/v1/members` */
  list(query: { limit?: number; include_total?: boolean } = {}, options?: RequestOptions): Pages<MemberResponse, MemberListResponse> {
    return this.pages('/api/v1/members', 'members', 'cursor', { query, ...options });
  }

  /** Get a member. `GET /api/v1/members/{member_id}` */
  get(memberId: string, options?: RequestOptions): Promise<MemberResponse> {
    return this.request('GET', pathOf`/api/v1/members/${memberId}`, { ...options });
  }

  /** Change a member's role or name. `PATCH /api/v1/members/{member_id}` */
  update(memberId: string, body: MemberUpdate, options?: RequestOptions): Promise<MemberResponse> {
    return this.request('PATCH', pathOf`/api/v1/members/${memberId}`, { body, ...options });
  }

  /** Remove a member. `DELETE /api/v1/members/{member_id}` */
  remove(memberId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/members/${memberId}`, { ...options });
  }

  /** Make a login link for a member. `POST /api/v1/members/{member_id}/login-link` */
  createLoginLink(memberId: string, options?: RequestOptions): Promise<MemberLoginLinkResponse> {
    return this.request('POST', pathOf`/api/v1/members/${memberId}/login-link`, { ...options });
  }
}

export class InvitationsResource extends Resource {
  /** List open invitations. `GET /api/v1/invitations` */
  list(query: { limit?: number } = {}, options?: RequestOptions): Pages<InvitationResponse, InvitationListResponse> {
    return this.pages('/api/v1/invitations', 'invitations', 'cursor', { query, ...options });
  }

  /** Invite somebody. `POST /api/v1/invitations` */
  create(body: InvitationCreate, options?: RequestOptions): Promise<InvitationCreateResponse> {
    return this.request('POST', '/api/v1/invitations', { body, ...options });
  }

  /** Revoke an invitation. `DELETE /api/v1/invitations/{invitation_id}` */
  revoke(invitationId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/invitations/${invitationId}`, { ...options });
  }
}

export class VoicesResource extends Resource {
  /** List the voices that agents can have. `GET /api/v1/voices` */
  list(query: { provider?: 'elevenlabs' | 'cartesia' | 'deepgram' | 'openai' | 'local'; language?: string; q?: string; limit?: number } = {}, options?: RequestOptions): Pages<Voice, VoiceListResponse> {
    return this.pages('/api/v1/voices', 'voices', 'cursor', { query, ...options });
  }
}

export class VendorKeysResource extends Resource {
  /** List the tenant's own keys at vendors. `GET /api/v1/vendor-keys` */
  list(options?: RequestOptions): Promise<VendorKeyListResponse> {
    return this.request('GET', '/api/v1/vendor-keys', { ...options });
  }

  /** Get what is known of the tenant's key at a vendor. `GET /api/v1/vendor-keys/{provider}` */
  get(provider: string, options?: RequestOptions): Promise<VendorKey> {
    return this.request('GET', pathOf`/api/v1/vendor-keys/${provider}`, { ...options });
  }

  /** Set or replace the key at a vendor. `PUT /api/v1/vendor-keys/{provider}` */
  set(provider: string, body: VendorKeySetRequest, options?: RequestOptions): Promise<VendorKey> {
    return this.request('PUT', pathOf`/api/v1/vendor-keys/${provider}`, { body, ...options });
  }

  /** Delete the key at a vendor. `DELETE /api/v1/vendor-keys/{provider}` */
  delete(provider: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/vendor-keys/${provider}`, { ...options });
  }

  /** Ask the vendor whether it takes the key. `POST /api/v1/vendor-keys/{provider}/check` */
  check(provider: string, options?: RequestOptions): Promise<VendorKeyCheck> {
    return this.request('POST', pathOf`/api/v1/vendor-keys/${provider}/check`, { ...options });
  }
}

export class ApiKeysResource extends Resource {
  /** List API keys. `GET /api/v1/keys` */
  list(query: { limit?: number; include_total?: boolean } = {}, options?: RequestOptions): Pages<ApiKeyResponse, ApiKeyListResponse> {
    return this.pages('/api/v1/keys', 'keys', 'cursor', { query, ...options });
  }

  /** Create an API key. `POST /api/v1/keys` */
  create(body: ApiKeyCreateRequest, options?: RequestOptions): Promise<ApiKeyCreateResponse> {
    return this.request('POST', '/api/v1/keys', { body, ...options });
  }

  /** Delete an API key. `DELETE /api/v1/keys/{key_id}` */
  delete(keyId: string, options?: RequestOptions): Promise<void> {
    return this.request('DELETE', pathOf`/api/v1/keys/${keyId}`, { ...options });
  }
}
