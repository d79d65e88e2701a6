import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concretePath } from '../conformance/operations.js';
import type { TestAnswer } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { CALLS } from './endpoints/calls.js';
import { CAMPAIGNS } from './endpoints/campaigns.js';
import { type EndpointCall, Ground, SDP } from './endpoints/ground.js';
import { INTEGRATIONS_AND_TESTING } from './endpoints/integrations.js';
import { NUMBERS_AND_WEBHOOKS } from './endpoints/webhooks.js';
import { SECOND_CALLEE } from './scene.js';

const ENDPOINTS = { ...CALLS, ...CAMPAIGNS, ...NUMBERS_AND_WEBHOOKS, ...INTEGRATIONS_AND_TESTING };

interface Content {
  readonly schema?: { readonly $ref?: string; readonly type?: string };
}
interface Operation {
  readonly security?: readonly object[];
  readonly deprecated?: boolean;
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

let ground: Ground;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
let components: { readonly schemas: Readonly<Record<string, { readonly type?: string }>> };
beforeAll(async () => {
  ground = await Ground.set();
  const description = (await ground.scene.ask(undefined, 'GET', '/v1/openapi.json')).json;
  ({ paths, components } = description as { paths: typeof paths; components: typeof components });
});
afterAll(() => ground?.close());

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

function ask(operation: string, call: EndpointCall): Promise<TestAnswer> {
  const [method, path] = operation.split(' ') as [string, string];
  const { ids = [], by = 'test', query = '', body, headers = {} } = call;
  const left = [...ids];
  const at = concretePath({ path }, () => left.shift()!);
  expect(left, 'ids that the path does not name').toEqual([]);
  const { test, live } = ground.tenant;
  const key = { test, live, nobody: undefined }[by];
  return ground.scene.ask(key, method, `/api/v1${at}${query}`, body, headers);
}

describe.each(Object.entries(ROWS))('the endpoints of %s', (_group, rows) => {
  // The control plane of a test holds every answer against its schema, and answers 500 where it does not fit.
  // @rule 4.2
  it.each(rows)('%s with body %s answers %i %s', async (operation, body, status, response) => {
    const declared = operationOf(operation)!;
    expect(declared, 'is in the description').toBeDefined();
    expect(nameOf(declared.requestBody?.content) ?? null).toBe(body);
    if (response !== null) expect(nameOf(declared.responses[status]?.content)).toBe(response);

    const call = await ENDPOINTS[operation]!(ground);
    const answer = await ask(operation, call);
    expect(answer.status, answer.text).toBe(status);
    if (status === 204) expect(answer.text).toBe('');
    if (response !== null) expect(Array.isArray(answer.json)).toBe(response === 'array');
    await call.check?.(answer);
  });
});

// @rule 4.2
it('describes the 75 listed endpoints; POST /phones/provision serves without being listed', async () => {
  const listed = Object.values(ROWS).flat();
  expect(listed).toHaveLength(75);
  expect(paths).not.toHaveProperty('/api/v1/phones/provision');
  const phone_number = await ground.numberForSale();
  const bought = await ask('POST /phones/provision', { by: 'live', body: { phone_number } });
  expect(bought).toMatchObject({ status: 201, json: { phone_number } });
  expect(await ground.ownedAtCarrier(phone_number)).toBe(1);
});

describe('agents and their sessions', () => {
  const send = (method: string, path: string, body: object = {}) =>
    ground.scene.ask(ground.tenant.test, method, `/api/v1${path}`, body);
  const newAgent = async (settings: object = {}) =>
    (await send('POST', '/agents', { name: 'Ann', system_prompt: 'p', ...settings })).json as { id: string };

  // @rule 4.4
  it('change by the given fields only', async () => {
    const made = { language: 'de-DE', voice_config: { tts: { provider: 'local', model: 'anna' } } };
    interface Saved {
      readonly id: string;
      readonly updated_at?: string;
      readonly version?: number;
    }
    const { updated_at: _before, version: _first, ...agent } = (await newAgent(made)) as Saved;
    const change = async (body: object) => {
      const { json } = await send('PATCH', `/agents/${agent.id}`, body);
      const { updated_at: _now, version: _next, ...after } = json as Saved;
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

  // @rule 4.52
  it("pass an offer's SDP answer on unchanged, with ice_servers filled in when absent", async () => {
    const { id } = await newAgent();
    const session = await send('POST', `/agents/${id}/test/webrtc`);
    expect(session.status, session.text).toBe(201);
    const { session_id } = session.json as { session_id: string };
    const offer = { sdp: SDP, type: 'offer', restart_pc: false };
    const answer = await send('POST', `/test-sessions/${session_id}/offer`, offer);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        sdp: `v=0\r\na=answer to ${SDP.length} characters\r\n`,
        type: 'answer',
        pc_id: `pc-${session_id}`,
        extra: 'as the worker gave it',
      },
    ]);
    expect(ground.scene.worker.offers.at(-1)?.offer).toEqual({ ...offer, ice_servers: [] });
  });
});

// @rule 9.3
it('describes POST /billing/checkout as deprecated', async () => {
  expect(operationOf('POST /billing/checkout')?.deprecated).toBe(true);
  const { headers } = await ask('POST /billing/checkout', { by: 'live', body: { plan: 'starter' } });
  expect(headers.get('deprecation')).toMatch(/^@\d+$/);
});

// @rule 4.1
it('requires the bearer credential of all endpoints but the exempt ones', async () => {
  const open: string[] = [];
  for (const [operation] of Object.values(ROWS).flat()) {
    const ids = [...operation.matchAll(/\{\w+\}/g)].map(() => ground.tenant.agentId);
    const { status, json } = await ask(operation, { by: 'nobody', ids });
    const isRefused = status === 401 && (json as { code: string }).code === 'missing_credentials';
    const isDeclared = operationOf(operation)?.security?.length !== 0;
    expect.soft(isRefused, operation).toBe(isDeclared);
    if (!isRefused) open.push(operation);
  }
  expect(open.sort()).toEqual([
    'GET /integrations/{slug}/callback',
    'GET /webhooks/event-types',
    'POST /webhooks/clerk',
  ]);
});

describe('a transfer', () => {
  // @rule 4.13
  it('is refused while another of the call is under way', async () => {
    const { scene, tenant } = ground;
    const id = await ground.liveCall();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    scene.carrier.beforeRedirect = () => released;
    const transfer = () =>
      ask('POST /calls/{call_id}/transfer', { ids: [id], body: { destination: SECOND_CALLEE } });
    const first = transfer();
    const guarded = await eventually(
      () => scene.call(tenant, id),
      ({ extra }) => extra.transfer_in_progress,
    );
    expect(guarded.status).toBe('IN_PROGRESS');
    expect(await transfer()).toMatchObject({ status: 409, json: { code: 'transfer_in_progress' } });
    release();
    expect(await first).toMatchObject({ status: 200, json: { transfer_to: SECOND_CALLEE } });
    const { sid } = scene.carrier.callOf(id)!;
    const orders = scene.carrier.redirected.filter((order) => order.sid === sid);
    expect(orders.map(({ twiml }) => twiml)).toEqual([expect.stringContaining(SECOND_CALLEE)]);
    scene.carrier.beforeRedirect = async () => {};
  });

  // @rule 4.14
  it('is refused to a destination that is not E.164', async () => {
    const id = await ground.liveCall();
    const body = { destination: '555 0123' };
    const answer = await ask('POST /calls/{call_id}/transfer', { ids: [id], body });
    expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'destination'] }] } });
  });
});
