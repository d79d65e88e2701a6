import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Record<string, unknown>;
}
interface Content {
  readonly schema?: { readonly $ref?: string; readonly type?: string };
}
interface Operation {
  readonly security?: readonly object[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

let store: TestStore;
let plane: TestControlPlane;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
let components: { readonly schemas: Readonly<Record<string, { readonly type?: string }>> };
beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
  const description = (await plane.request('GET', '/v1/openapi.json')).json;
  ({ paths, components } = description as { paths: typeof paths; components: typeof components });
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

/** Where the specification names no schema but the kind of value alone, the description has a name of its own. */
const OWN_NAMES = ['ClerkWebhookRequest', 'OfferTestSessionResponse'];
const nameOf = (content: Readonly<Record<string, Content>> | undefined) => {
  const [only] = Object.values(content ?? {});
  const name = only?.schema?.$ref?.split('/').at(-1);
  if (name !== undefined && OWN_NAMES.includes(name)) return components.schemas[name]!.type;
  return name ?? only?.schema?.type;
};

/** [method and path, request body, success status, response body] as the specification's tables have them. */
type Row = readonly [operation: string, body: string | null, status: number, response: string | null];

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  Agents: [
    ['POST /agents', 'AgentCreate', 201, 'AgentResponse'],
    ['GET /agents', null, 200, 'AgentListResponse'],
    ['GET /agents/{agent_id}', null, 200, 'AgentResponse'],
    ['PATCH /agents/{agent_id}', 'AgentUpdate', 200, 'AgentResponse'],
    ['DELETE /agents/{agent_id}', null, 204, null],
    ['GET /agent-templates', null, 200, 'AgentTemplateListResponse'],
    ['GET /agents/{agent_id}/nudge-presets', null, 200, 'NudgePresetsResponse'],
    ['PUT /agents/{agent_id}/nudge-presets', 'UpdateNudgePresetsRequest', 200, 'NudgePresetsResponse'],
  ],
  'API keys': [
    ['GET /keys', null, 200, 'ApiKeyListResponse'],
    ['POST /keys', 'ApiKeyCreateRequest', 201, 'ApiKeyCreateResponse'],
    ['DELETE /keys/{key_id}', null, 204, null],
  ],
  Calls: [
    ['POST /calls', 'CallCreate', 202, 'CallCreateResponse'],
    ['GET /calls', null, 200, 'CallListResponse'],
    ['GET /calls/{call_id}', null, 200, 'CallResponse'],
    ['GET /calls/{call_id}/detail', null, 200, 'CallDetailResponse'],
    ['GET /calls/{call_id}/recording', null, 200, 'RecordingUrlResponse'],
    ['POST /calls/{call_id}/transfer', 'CallTransfer', 200, 'CallTransferResponse'],
    ['POST /calls/test', 'TestCallRequest', 202, 'CallCreateResponse'],
    ['POST /calls/{call_id}/whisper', 'WhisperRequest', 202, 'OperatorActionAccepted'],
    ['POST /calls/{call_id}/nudge', 'NudgeRequest', 202, 'OperatorActionAccepted'],
    ['POST /calls/{call_id}/hangup', 'HangupRequest', 202, 'HangupResponse'],
    ['GET /calls/{call_id}/operator-actions', null, 200, 'OperatorActionListResponse'],
  ],
  Campaigns: [
    ['POST /campaigns', 'CampaignCreate', 201, 'CampaignCreateResponse'],
    ['GET /campaigns', null, 200, 'CampaignListResponse'],
    ['GET /campaigns/{campaign_id}', null, 200, 'CampaignResponse'],
    ['PATCH /campaigns/{campaign_id}', 'CampaignCriteriaUpdate', 200, 'CampaignResponse'],
    ['POST /campaigns/{campaign_id}/start', null, 200, 'CampaignTransitionResponse'],
    ['POST /campaigns/{campaign_id}/pause', null, 200, 'CampaignTransitionResponse'],
    ['POST /campaigns/{campaign_id}/cancel', null, 200, 'CampaignTransitionResponse'],
    ['POST /campaigns/generate-criteria', 'GenerateCriteriaRequest', 200, 'GenerateCriteriaResponse'],
    ['GET /campaigns/{campaign_id}/analytics', null, 200, 'CampaignAnalytics'],
    ['GET /campaigns/{campaign_id}/insights', null, 200, 'CampaignInsights'],
    ['GET /campaigns/{campaign_id}/extracted-data', null, 200, 'CampaignExtractedDataResponse'],
    ['GET /campaigns/{campaign_id}/extracted-data/export', null, 200, null],
    ['GET /campaigns/{campaign_id}/contacts', null, 200, 'CampaignContactListResponse'],
    [
      'POST /campaigns/{campaign_id}/contacts/{contact_id}/reschedule',
      'ContactRescheduleRequest',
      200,
      'CampaignContactResponse',
    ],
    ['POST /campaigns/upload', 'ContactsUpload', 201, 'CSVUploadResponse'],
  ],
  'Compliance, analytics, billing': [
    ['POST /compliance/check', 'ComplianceCheckRequest', 200, 'ComplianceCheckResponse'],
    ['GET /analytics/overview', null, 200, 'OverviewResponse'],
    ['GET /billing/usage', null, 200, 'UsageSummary'],
    ['POST /billing/setup', 'CheckoutRequest', 200, 'CheckoutResponse'],
    ['POST /billing/checkout', 'CheckoutRequest', 200, 'CheckoutResponse'],
    ['POST /billing/portal', null, 200, 'PortalResponse'],
  ],
  'Phone numbers and verification': [
    ['GET /phones/available', null, 200, 'array'],
    ['GET /phones', null, 200, 'PhoneNumberListResponse'],
    ['POST /phones', 'ProvisionRequest', 201, 'PhoneNumberResponse'],
    ['PATCH /phones/{phone_id}', 'AssignAgentRequest', 200, 'PhoneNumberResponse'],
    ['DELETE /phones/{phone_id}', null, 204, null],
    ['POST /verifications', 'StartRequest', 200, 'StartResponse'],
    ['POST /verifications/confirm', 'ConfirmRequest', 200, 'ConfirmResponse'],
  ],
  Webhooks: [
    ['GET /webhooks/event-types', null, 200, 'EventCatalogResponse'],
    ['GET /webhooks', null, 200, 'array'],
    ['POST /webhooks', 'WebhookCreate', 201, 'WebhookCreateResponse'],
    ['GET /webhooks/{webhook_id}', null, 200, 'WebhookResponse'],
    ['PATCH /webhooks/{webhook_id}', 'WebhookUpdate', 200, 'WebhookResponse'],
    ['DELETE /webhooks/{webhook_id}', null, 204, null],
    ['GET /webhooks/{webhook_id}/deliveries', null, 200, 'array'],
    ['POST /webhooks/deliveries/{delivery_id}/replay', null, 202, 'DeliveryResponse'],
    ['POST /webhooks/{webhook_id}/test', 'TestFireRequest', 202, 'DeliveryResponse'],
    ['GET /webhooks/config', null, 200, 'WebhookConfigResponse'],
    ['PUT /webhooks/config', 'WebhookConfigRequest', 200, 'WebhookConfigResponse'],
    ['DELETE /webhooks/config', null, 204, null],
    ['POST /webhooks/clerk', 'object', 200, 'object'],
  ],
  Integrations: [
    ['GET /integrations', null, 200, 'array'],
    ['POST /integrations/{slug}/api-key-connect', 'ApiKeyConnectRequest', 200, 'IntegrationInfo'],
    ['POST /integrations/{slug}/connect', null, 200, 'ConnectResponse'],
    ['GET /integrations/{slug}/callback', null, 200, null],
    ['DELETE /integrations/{slug}', null, 200, 'DisconnectResponse'],
    ['GET /integrations/{slug}/status', null, 200, 'ConnectionHealth'],
    ['PATCH /integrations/{slug}/config', 'UpdateConfigRequest', 200, 'IntegrationInfo'],
  ],
  'Agent testing': [
    ['POST /agents/{agent_id}/test/text', 'TextTestMessage', 200, null],
    ['POST /agents/{agent_id}/test/webrtc', 'VoiceTestRequest', 201, 'WebRTCSessionCreate'],
    ['POST /test-sessions/{session_id}/offer', 'SdpOffer', 200, 'object'],
    ['POST /agents/{agent_id}/test/websocket', 'VoiceTestRequest', 201, 'WsSessionCreate'],
    ['GET /test-sessions/{session_id}/result', null, 200, 'TestSessionResult'],
  ],
};

const operationOf = (operation: string): Operation | undefined => {
  const [method, path] = operation.split(' ') as [string, string];
  return paths[`/api/v1${path}`]?.[method.toLowerCase()];
};

describe.each(Object.entries(ROWS))('4. Endpoints: %s', (_group, rows) => {
  it.each(rows)('%s, body %s: %i %s', (operation, body, status, response) => {
    const declared = operationOf(operation)!;
    expect(declared, 'is in the description').toBeDefined();
    expect(nameOf(declared.requestBody?.content) ?? null).toBe(body);
    expect(Object.keys(declared.responses)).toContain(String(status));
    if (response !== null) expect(nameOf(declared.responses[status]?.content)).toBe(response);
  });
});

it('has all of the 75 listed endpoints; the 76th, POST /phones/provision, serves the same purpose as POST /phones and is not listed in the description', async () => {
  const listed = Object.values(ROWS).flat();
  expect(listed).toHaveLength(75);
  expect(paths).not.toHaveProperty('/api/v1/phones/provision');
  const { key } = await plane.newKey();
  const { status } = await plane.request('POST', '/api/v1/phones/provision', { key, body: {} });
  expect(status).toBe(422);
});

describe('4. Endpoints: query parameters', () => {
  const NONE = undefined;
  it.each([
    ['GET /agents', 'offset', 0, NONE, 0],
    ['GET /agents', 'limit', 1, 100, 50],
    ['GET /agents', 'active_only', NONE, NONE, true],
    ['GET /calls', 'offset', 0, NONE, 0],
    ['GET /calls', 'limit', 1, 500, 50],
    ['GET /campaigns', 'offset', NONE, NONE, 0],
    ['GET /campaigns', 'limit', 1, 100, 50],
    ['GET /campaigns/{campaign_id}/contacts', 'offset', 0, NONE, 0],
    ['GET /campaigns/{campaign_id}/contacts', 'limit', 1, 100, 50],
    ['GET /campaigns/{campaign_id}/extracted-data', 'limit', 1, 100, 25],
    ['GET /campaigns/{campaign_id}/extracted-data', 'offset', 0, NONE, 0],
    ['GET /campaigns/{campaign_id}/extracted-data', 'sort', NONE, NONE, 'started_at'],
    ['GET /campaigns/{campaign_id}/extracted-data', 'order', NONE, NONE, 'desc'],
    ['GET /billing/usage', 'days', 1, 90, 30],
    ['GET /phones/available', 'limit', 1, 20, 10],
    ['GET /phones/available', 'country', NONE, NONE, 'US'],
    ['GET /webhooks/{webhook_id}/deliveries', 'limit', 1, 500, 50],
  ])('%s: %s from %s to %s, default %s', (operation, name, minimum, maximum, byDefault) => {
    const parameter = operationOf(operation)?.parameters?.find((each) => each.name === name);
    expect(parameter?.schema).toMatchObject({
      default: byDefault,
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
    });
  });

  it.each([
    ['GET /calls', ['cursor', 'status', 'direction', 'agent_id']],
    ['GET /campaigns', ['cursor', 'status']],
    ['GET /campaigns/{campaign_id}/contacts', ['status']],
    ['GET /campaigns/{campaign_id}/extracted-data', ['outcome']],
    ['GET /phones/available', ['area_code', 'provider']],
    ['POST /campaigns/upload', ['agent_id', 'campaign_name', 'caller_id']],
  ])('%s: takes %j', (operation, names) => {
    const known = operationOf(operation)?.parameters?.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(names));
  });

  it('upload: agent_id and campaign_name (max 255) are required, caller_id is optional', () => {
    const parameters = operationOf('POST /campaigns/upload')?.parameters?.filter(
      (each) => each.in === 'query',
    );
    const required = parameters?.filter((each) => each.required).map(({ name }) => name);
    expect(required?.sort()).toEqual(['agent_id', 'campaign_name']);
    expect(parameters?.find(({ name }) => name === 'campaign_name')?.schema).toMatchObject({
      maxLength: 255,
    });
  });
});

describe('4. Endpoints: agents and their sessions', () => {
  const SDP = 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\n';
  let worker: ScriptedWorker;
  let key: string;
  beforeAll(async () => {
    const { internalSecret: secret } = plane.platform.config;
    worker = await ScriptedWorker.start({ id: 'worker-1', secret, capacity: 10 });
    worker.webrtc = { available: true };
    ({ key } = await plane.newKey());
    await worker.heartbeat(plane);
  });
  afterAll(() => worker?.close());

  const ask = (method: string, path: string, body: object = {}) =>
    plane.request(method, `/api/v1${path}`, { key, body });
  const newAgent = async (settings: object = {}) =>
    (await ask('POST', '/agents', { name: 'Ann', system_prompt: 'p', ...settings })).json as { id: string };

  it('PATCH /agents/{agent_id}: only provided fields change', async () => {
    const made = { language: 'de-DE', voice_config: { tts: { provider: 'local', model: 'anna' } } };
    const { updated_at: _before, ...agent } = (await newAgent(made)) as { id: string; updated_at?: string };
    const change = async (body: object) => {
      const { updated_at: _now, ...after } = (await ask('PATCH', `/agents/${agent.id}`, body))
        .json as object & { updated_at: string };
      return after;
    };
    expect(await change({ first_message: 'Hello!' })).toEqual({ ...agent, first_message: 'Hello!' });
    const realtime = { provider: 'openai', model: '', params: {} };
    expect(await change({ pipeline_type: 'realtime', voice_config: { realtime } })).toMatchObject({
      name: 'Ann',
      language: 'de-DE',
      first_message: 'Hello!',
      pipeline_type: 'realtime',
      voice_config: { realtime },
    });
    expect(await change({ pipeline_type: 'cascaded', first_message: '' })).toEqual(agent);
  });

  it("POST /test-sessions/{session_id}/offer: 200 the worker's SDP answer unchanged; ice_servers filled in when absent", async () => {
    const { id } = await newAgent();
    const session = await ask('POST', `/agents/${id}/test/webrtc`);
    expect(session.status, session.text).toBe(201);
    const { session_id } = session.json as { session_id: string };
    const offer = { sdp: SDP, type: 'offer', restart_pc: false };
    const answer = await ask('POST', `/test-sessions/${session_id}/offer`, offer);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        sdp: `v=0\r\na=answer to ${SDP.length} characters\r\n`,
        type: 'answer',
        pc_id: `pc-${session_id}`,
        extra: 'as the worker gave it',
      },
    ]);
    expect(worker.offers.at(-1)?.offer).toEqual({ ...offer, ice_servers: [] });
  });
});

it('POST /api/v1/billing/checkout: Deprecated', () => {
  expect(operationOf('POST /billing/checkout')?.deprecated).toBe(true);
});

it('All endpoints require the bearer credential unless a row says otherwise', () => {
  const open = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) =>
      security?.length === 0 ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(open.sort()).toEqual([
    'GET /api/v1/integrations/{slug}/callback',
    'GET /api/v1/webhooks/event-types',
    'POST /api/v1/webhooks/clerk',
  ]);
});
