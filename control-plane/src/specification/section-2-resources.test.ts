import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentMessage, ended } from '../calls/testing/events.js';
import { eventually } from '../testing/eventually.js';
import { CALLEE, Scene, type Tenant } from './scene.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY = (mode: string) => new RegExp(`^sk_${mode}_[A-Za-z0-9_-]{32}$`);

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set();
  tenant = await scene.newTenant();
});
afterAll(() => scene?.close());

const get = <T = Record<string, unknown>>(path: string) =>
  scene.json<T>(tenant.test, 'GET', `/api/v1${path}`);

describe('resources and their fields', () => {
  // @rule 2.1
  it('refuses an identifier in a path that is no UUID', async () => {
    expect(tenant.agentId).toMatch(UUID);
    const answer = await scene.ask(tenant.test, 'GET', '/api/v1/agents/not-a-uuid');
    expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['path', 'agent_id'] }] } });
  });

  // @rule 2.2, 2.3, 2.4
  it("shows an API key's fields, and the key itself on creation only", async () => {
    for (const [sandbox, mode] of [
      [true, 'test'],
      [false, 'live'],
    ] as const) {
      const made = await scene.json<{ id: string; key: string; key_prefix: string }>(
        tenant.live,
        'POST',
        '/api/v1/keys',
        { name: 'crm', sandbox },
      );
      expect(made).toMatchObject({ name: 'crm', sandbox, created_at: expect.any(String) });
      expect(made.id).toMatch(UUID);
      expect(made.key).toMatch(KEY(mode));
      expect(made.key.startsWith(made.key_prefix)).toBe(true);
      const listing = await scene.ask(sandbox ? tenant.test : tenant.live, 'GET', '/api/v1/keys');
      expect(listing.text).toContain(made.id);
      expect(listing.text).not.toContain(made.key);
    }
  });

  // @rule 2.5, 2.6, 2.7
  it("shows an agent's fields, and switches it off when it is deleted", async () => {
    const id = await scene.made(tenant.test, '/api/v1/agents', { name: 'Bob', system_prompt: 'You call.' });
    expect(await get(`/agents/${id}`)).toMatchObject({
      id,
      name: 'Bob',
      pipeline_type: 'cascaded',
      system_prompt: 'You call.',
      first_message: expect.any(String),
      tools: [{ type: 'end_call' }],
      is_active: true,
      voice_config: expect.any(Object),
    });
    expect((await scene.ask(tenant.test, 'DELETE', `/api/v1/agents/${id}`)).status).toBe(204);
    expect(await get(`/agents/${id}`)).toMatchObject({ is_active: false });
    const body = { name: 'Bob', system_prompt: 'You call.', pipeline_type: 'parallel' };
    expect(await scene.refusal(tenant.test, 'POST', '/api/v1/agents', body)).toEqual([
      422,
      'validation_error',
    ]);
  });

  // @rule 2.8
  it('takes provider, model and params for each of stt, llm and tts', async () => {
    const part = { provider: expect.any(String), model: expect.any(String), params: expect.any(Object) };
    expect(await get(`/agents/${tenant.agentId}`)).toMatchObject({
      voice_config: { stt: part, llm: part, tts: part },
    });
  });

  // @rule 2.9
  it('takes one speech-to-speech choice for a realtime agent', async () => {
    const id = await scene.made(tenant.test, '/api/v1/agents', {
      name: 'R',
      system_prompt: 'p',
      pipeline_type: 'realtime',
      voice_config: { realtime: { provider: 'openai' } },
    });
    const { voice_config } = await get<{ voice_config: object }>(`/agents/${id}`);
    expect(voice_config).toEqual({
      realtime: { provider: 'openai', model: expect.any(String), params: expect.any(Object) },
    });
  });

  // @rule 2.9
  it("gives the worker of a realtime agent's call the speech-to-speech choice", async () => {
    const realtime = { provider: 'openai', model: 'gpt-realtime', params: { voice: 'marin' } };
    const id = await scene.made(tenant.test, '/api/v1/agents', {
      name: 'R',
      system_prompt: 'p',
      pipeline_type: 'realtime',
      voice_config: { realtime },
    });
    const call = await scene.dialed(tenant, { agent_id: id });
    const plan = scene.worker.plans.find(({ call_id }) => call_id === call.id);
    expect(plan).toMatchObject({
      agent: { pipeline_type: 'realtime', voice_config: { realtime } },
      credentials: { openai: { api_key: 'good' } },
    });
  });

  // @rule 2.10
  it('applies a change of an agent from the next call on', async () => {
    const id = await scene.made(tenant.test, '/api/v1/agents', { name: 'Old', system_prompt: 'p' });
    const before = await scene.dialed(tenant, { agent_id: id });
    await scene.json(tenant.test, 'PATCH', `/api/v1/agents/${id}`, { name: 'New' });
    const after = await scene.dialed(tenant, { agent_id: id });
    const nameIn = (callId: string) =>
      scene.worker.plans.find(({ call_id }) => call_id === callId)?.agent.name;
    expect([nameIn(before.id), nameIn(after.id)]).toEqual(['Old', 'New']);
  });

  // @rule 2.11
  it('marks an agent with a provider outside the matrix as experimental', async () => {
    const of = async (llm: object) => {
      const id = await scene.made(tenant.test, '/api/v1/agents', {
        name: 'E',
        system_prompt: 'p',
        voice_config: { llm },
      });
      return (await get<{ experimental: boolean }>(`/agents/${id}`)).experimental;
    };
    expect(await of({ provider: 'openai' })).toBe(false);
    expect(
      await of({ provider: 'acme', model: 'm', params: { base_url: 'https://llm.example.com/v1' } }),
    ).toBe(true);
  });

  // @rule 2.12
  it('clones each of 17 templates into an agent', async () => {
    const { templates } = await get<{ templates: { slug: string; category: string }[] }>('/agent-templates');
    expect(templates).toHaveLength(17);
    expect(new Set(templates.map(({ slug }) => slug)).size).toBe(17);
    const categories = new Set(templates.map(({ category }) => category));
    for (const named of ['hr', 'sales', 'healthcare', 'insurance', 'collections', 'support']) {
      expect.soft(categories).toContain(named);
    }
    const prompts = new Set<string>();
    for (const { slug } of templates) {
      const clone = await scene.json<{ id: string; system_prompt: string }>(
        tenant.test,
        'POST',
        `/api/v1/agent-templates/${slug}/clone`,
        {},
      );
      prompts.add(clone.system_prompt);
      expect(await get(`/agents/${clone.id}`)).toMatchObject({ is_active: true });
    }
    expect(prompts.size).toBe(17);
  });

  // @rule 2.13
  it("shows a call's fields", async () => {
    const { id } = await scene.dialed(tenant);
    expect(await scene.call(tenant, id)).toMatchObject({
      id,
      agent_id: tenant.agentId,
      status: 'QUEUED',
      direction: 'outbound',
      from_number: expect.stringMatching(/^\+\d+$/),
      to_number: CALLEE,
      recording_url: null,
      is_test_call: true,
      extra: { transfer_in_progress: false },
    });
  });

  // @rule 2.14
  it('adds turns, tool executions, metrics and analysis in the detail view', async () => {
    const { id } = await scene.answered(tenant);
    await scene.report(id, agentMessage(0, 'Hello.'), ended('agent_hangup', 2000));
    const detail = await eventually(
      () => scene.detail(tenant, id),
      ({ analysis }) => analysis !== null,
    );
    expect(detail).toMatchObject({
      transcript: [{ index: 0, role: 'agent', text: 'Hello.', heard_text: 'Hello.', interrupted: false }],
      tool_executions: [],
      metrics: { turns: [], p50: expect.any(Object), p95: expect.any(Object) },
      analysis: { summary: expect.any(String) },
    });
  });

  // @rule 2.15, 2.17, 2.18
  it('shows the fields of a campaign and of its contacts', async () => {
    const hours = { monday: { start: '10:00', end: '11:00' } };
    await scene.json(tenant.test, 'PATCH', `/api/v1/agents/${tenant.agentId}`, { calling_hours: hours });
    const id = await scene.made(tenant.test, '/api/v1/campaigns', {
      name: 'Spring',
      agent_id: tenant.agentId,
      outcome_labels: ['sold', 'refused'],
      contacts: [{ phone: '(415) 555-0100', first_name: 'Ann', contact_data: { company: 'Acme' } }],
    });
    expect(await get(`/campaigns/${id}`)).toMatchObject({
      id,
      name: 'Spring',
      agent_id: tenant.agentId,
      caller_id: null,
      status: 'draft',
      outcome_labels: ['sold', 'refused'],
      success_criteria: null,
      extraction_schema: null,
      max_concurrent: expect.any(Number),
      calls_per_minute: expect.any(Number),
      scheduled_start: null,
      calling_hours: hours,
    });
    expect(await get(`/campaigns/${id}/contacts`)).toMatchObject({
      contacts: [
        {
          id: expect.stringMatching(UUID),
          phone: '+14155550100',
          first_name: 'Ann',
          last_name: null,
          contact_data: { company: 'Acme' },
          status: 'pending',
          next_retry_at: null,
        },
      ],
    });
  });

  // @rule 2.19
  it("shows a phone number's fields", async () => {
    const id = await scene.number(tenant, '+14155550132', { verified: false, attestation: 'C' });
    const listed = await scene.json<{ phone_numbers: { id: string }[] }>(
      tenant.live,
      'GET',
      '/api/v1/phones',
    );
    expect(listed.phone_numbers.find((number) => number.id === id)).toMatchObject({
      id,
      phone_number: '+14155550132',
      provider: 'twilio',
      agent_id: null,
      caller_id_verified_at: null,
      attestation: 'C',
    });
  });

  // @rule 2.20, 2.21
  it('shows the fields of a webhook subscription and of its deliveries', async () => {
    const url = scene.receiver.url();
    const made = await scene.json<{ id: string; secret: string }>(tenant.test, 'POST', '/api/v1/webhooks', {
      url,
    });
    expect(made).toMatchObject({ url, event_types: ['*'], sandbox: true, secret: expect.any(String) });
    const again = await get(`/webhooks/${made.id}`);
    expect(again).toMatchObject({ id: made.id, url, event_types: ['*'], sandbox: true });
    expect(again).not.toHaveProperty('secret');
    await scene.json(tenant.test, 'POST', `/api/v1/webhooks/${made.id}/test`, {
      event_type: 'agent.activated',
      payload: {},
    });
    const rows = await eventually(
      () => get<{ status: string }[]>(`/webhooks/${made.id}/deliveries`),
      ([row]) => row?.status === 'succeeded',
    );
    expect(rows).toMatchObject([
      {
        id: expect.stringMatching(UUID),
        event_id: expect.any(String),
        event_type: 'agent.activated',
        url,
        response_status: 204,
        attempt: 1,
        error: null,
        created_at: expect.any(String),
        delivered_at: expect.any(String),
      },
    ]);
  });

  // @rule 2.22, 2.24
  it('lists every integration by its slug, with kind and connection status', async () => {
    const all = await get<{ slug: string; connection_kind: string; connected: boolean }[]>('/integrations');
    expect(all.map(({ slug }) => slug).sort()).toEqual([
      'airtable',
      'cal-com',
      'google-calendar',
      'google-sheets',
      'hubspot',
      'make',
      'notion',
      'salesforce',
      'slack',
      'zapier',
    ]);
    expect(all.every(({ connected }) => connected === false)).toBe(true);
    expect(new Set(all.map(({ connection_kind }) => connection_kind)).size).toBeGreaterThan(1);
  });

  // @rule 2.25, 4.5
  it("gives an agent's nudge presets ids where they lack one", async () => {
    const path = `/agents/${tenant.agentId}/nudge-presets`;
    const preset = { label: 'Slower', text: 'Speak more slowly.' };
    const { presets } = await scene.json<{ presets: object[] }>(tenant.test, 'PUT', `/api/v1${path}`, {
      presets: [preset],
    });
    expect(presets).toMatchObject([{ id: expect.stringMatching(UUID), ...preset }]);
    expect(await get(path)).toMatchObject({ presets });
  });

  // @rule 2.26, 2.28
  it('names a test session by id: text by X-Session-Id, WebSocket with stream_url and token', async () => {
    const text = await scene.ask(tenant.test, 'POST', `/api/v1/agents/${tenant.agentId}/test/text`, {
      message: 'hello',
    });
    expect(text.headers.get('x-session-id')).toMatch(UUID);
    const session = await scene.json(
      tenant.test,
      'POST',
      `/api/v1/agents/${tenant.agentId}/test/websocket`,
      {},
    );
    expect(session).toMatchObject({
      session_id: expect.stringMatching(UUID),
      stream_url: expect.stringMatching(/^ws/),
      token: expect.any(String),
    });
  });

  // @rule 2.27
  it('adds webrtc_url to a WebRTC session', async () => {
    const path = `/api/v1/agents/${tenant.agentId}/test/webrtc`;
    const session = await scene.json(tenant.test, 'POST', path, {});
    expect(session).toMatchObject({
      session_id: expect.stringMatching(UUID),
      webrtc_url: `${scene.plane.url}/api/v1/test-sessions/${session.session_id}/offer`,
    });
  });
});
