import { jsonOf } from './errors.js';
import {
  AgentsResource,
  AgentTemplatesResource,
  AnalyticsResource,
  ApiKeysResource,
  BillingResource,
  ComplianceResource,
  CallsResource as GeneratedCalls,
  CampaignsResource as GeneratedCampaigns,
  DoNotCallResource as GeneratedDoNotCall,
  TestSessionsResource as GeneratedTestSessions,
  VoicesResource as GeneratedVoices,
  WebhooksResource as GeneratedWebhooks,
  IntegrationsResource,
  InvitationsResource,
  MembersResource,
  PhoneNumbersResource,
  SettingsResource,
  VendorKeysResource,
  VerificationsResource,
} from './generated/resources.js';
import type { CSVUploadResponse, DncImportResponse } from './generated/types.js';
import { type FollowOptions, follow, type ListenedAudio, type ListenOptions, listen } from './live.js';
import type { LiveEvent } from './live-events.js';
import { pathOf } from './resource.js';
import { serverSentEvents } from './server-sent-events.js';
import { type TalkOptions, TestSession } from './test-session.js';
import { type ClientOptions, type Pauses, type RequestOptions, Transport } from './transport.js';
import { type ListenerMessage, listenToWebhooks, type WebhookListenOptions } from './webhook-listener.js';

class CallsResource extends GeneratedCalls {
  /** Follows a call until it is over; comes back by itself, without a gap. `GET /api/v1/calls/{call_id}/live` */
  follow(callId: string, options?: FollowOptions): AsyncGenerator<LiveEvent, void, void> {
    return follow(this.transport, callId, options);
  }

  /** Listens to both sides of a live call. `GET /api/v1/calls/{call_id}/listen` */
  async *listen(callId: string, options: ListenOptions = {}): AsyncGenerator<ListenedAudio, void, void> {
    const { signal, timeoutMs = this.transport.timeoutMs } = options;
    const { listen_url } = await this.createLiveLink(callId, { signal, timeoutMs });
    yield* listen(listen_url, { ...options, timeoutMs });
  }

  /**
   * Downloads the recording: MP3, or WAV with the caller left and the agent right.
   * `GET /api/v1/calls/{call_id}/recording`
   */
  recording(
    callId: string,
    query: { format?: 'mp3' | 'wav'; channels?: string } = {},
    options?: RequestOptions,
  ): Promise<Uint8Array> {
    const { format = 'mp3', ...rest } = query;
    return this.transport.bytes('GET', pathOf`/api/v1/calls/${callId}/recording`, {
      ...options,
      query: rest,
      headers: { accept: format === 'mp3' ? 'audio/mpeg' : 'audio/wav' },
    });
  }
}

/** A CSV file, as text or bytes. */
export type Csv = string | Uint8Array<ArrayBuffer> | Blob;

function formOf(csv: Csv): FormData {
  const form = new FormData();
  form.set('file', csv instanceof Blob ? csv : new Blob([csv], { type: 'text/csv' }), 'contacts.csv');
  return form;
}

class CampaignsResource extends GeneratedCampaigns {
  /** Creates a campaign from a CSV file. `POST /api/v1/campaigns/upload` */
  async upload(
    csv: Csv,
    query: {
      agent_id: string;
      campaign_name: string;
      caller_id?: string;
      max_concurrent?: number;
      calls_per_minute?: number;
    },
    options?: RequestOptions,
  ): Promise<CSVUploadResponse> {
    return this.request('POST', '/api/v1/campaigns/upload', { ...options, query, body: formOf(csv) });
  }

  /** Exports what the calls found out, as CSV. `GET /api/v1/campaigns/{campaign_id}/extracted-data/export` */
  async exportExtractedData(
    campaignId: string,
    query: { outcome?: string } = {},
    options?: RequestOptions,
  ): Promise<string> {
    const path = pathOf`/api/v1/campaigns/${campaignId}/extracted-data/export`;
    const bytes = await this.transport.bytes('GET', path, {
      ...options,
      query,
      headers: { accept: 'text/csv' },
    });
    return new TextDecoder().decode(bytes);
  }
}

class VoicesResource extends GeneratedVoices {
  /** Returns the vendor's recording of a voice. `GET /api/v1/voices/{provider}/{voice_name}/preview` */
  async preview(provider: string, voiceId: string, options?: RequestOptions): Promise<Uint8Array> {
    const path = pathOf`/api/v1/voices/${provider}/${voiceId}/preview`;
    return this.transport.bytes('GET', path, { ...options, headers: { accept: 'audio/*' } });
  }
}

class DoNotCallResource extends GeneratedDoNotCall {
  /** Adds the numbers of a CSV file. `POST /api/v1/compliance/dnc/import` */
  import(csv: Csv, options?: RequestOptions): Promise<DncImportResponse> {
    return this.request('POST', '/api/v1/compliance/dnc/import', { ...options, body: formOf(csv) });
  }
}

class WebhooksResource extends GeneratedWebhooks {
  /** Receives events over a connection in place of a URL, for development. `GET /api/v1/webhooks/listen` */
  listen(options?: WebhookListenOptions): AsyncGenerator<ListenerMessage, void, void> {
    return listenToWebhooks(this.transport, options);
  }
}

/** One event of a conversation in text (`event` names it; the fields are those of docs and API description). */
export interface TextEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

class TestSessionsResource extends GeneratedTestSessions {
  /** Talks to an agent without a phone: audio both ways, and what happens. */
  async talk(agentId: string, options: TalkOptions = {}): Promise<TestSession> {
    const { sampleRate: _, signal, timeoutMs = this.transport.timeoutMs, ...request } = options;
    const created = await this.createWebSocket(agentId, request, { signal, timeoutMs });
    return TestSession.connect(created, { ...options, timeoutMs });
  }

  /** Writes to an agent, and gives what it answers as it comes. `POST /api/v1/agents/{agent_id}/test/text` */
  async *text(
    agentId: string,
    body: import('./generated/types.js').TextTestMessage,
    options?: RequestOptions,
  ): AsyncGenerator<TextEvent, void, void> {
    const response = await this.transport.stream('POST', pathOf`/api/v1/agents/${agentId}/test/text`, {
      ...options,
      body,
      headers: { accept: 'text/event-stream' },
    });
    if (response.body === null) return;
    for await (const { event, data } of serverSentEvents(response.body)) {
      if (data !== '') yield { event: event ?? 'message', data: jsonOf(data) as TextEvent['data'] };
    }
  }
}

/**
 * The client of the voice agent platform.
 *
 * ```ts
 * const voice = new Voice(); // VOICE_API_KEY, VOICE_API_URL
 * const call = await voice.calls.create({ agent_id, from_number, to_number: '+15005550006' });
 * for await (const event of voice.calls.follow(call.id)) console.log(event);
 * ```
 */
export class Voice {
  readonly agents: AgentsResource;
  readonly agentTemplates: AgentTemplatesResource;
  readonly calls: CallsResource;
  readonly campaigns: CampaignsResource;
  readonly compliance: ComplianceResource;
  readonly doNotCall: DoNotCallResource;
  readonly phoneNumbers: PhoneNumbersResource;
  readonly verifications: VerificationsResource;
  readonly webhooks: WebhooksResource;
  readonly testSessions: TestSessionsResource;
  readonly integrations: IntegrationsResource;
  readonly analytics: AnalyticsResource;
  readonly billing: BillingResource;
  readonly settings: SettingsResource;
  readonly members: MembersResource;
  readonly invitations: InvitationsResource;
  readonly voices: VoicesResource;
  readonly vendorKeys: VendorKeysResource;
  readonly apiKeys: ApiKeysResource;

  constructor(options: ClientOptions = {}, pauses?: Pauses) {
    const transport = new Transport(
      {
        ...options,
        apiKey: options.apiKey ?? process.env.VOICE_API_KEY,
        baseUrl: options.baseUrl ?? process.env.VOICE_API_URL,
      },
      pauses,
    );
    this.agents = new AgentsResource(transport);
    this.agentTemplates = new AgentTemplatesResource(transport);
    this.calls = new CallsResource(transport);
    this.campaigns = new CampaignsResource(transport);
    this.compliance = new ComplianceResource(transport);
    this.doNotCall = new DoNotCallResource(transport);
    this.phoneNumbers = new PhoneNumbersResource(transport);
    this.verifications = new VerificationsResource(transport);
    this.webhooks = new WebhooksResource(transport);
    this.testSessions = new TestSessionsResource(transport);
    this.integrations = new IntegrationsResource(transport);
    this.analytics = new AnalyticsResource(transport);
    this.billing = new BillingResource(transport);
    this.settings = new SettingsResource(transport);
    this.members = new MembersResource(transport);
    this.invitations = new InvitationsResource(transport);
    this.voices = new VoicesResource(transport);
    this.vendorKeys = new VendorKeysResource(transport);
    this.apiKeys = new ApiKeysResource(transport);
  }
}
