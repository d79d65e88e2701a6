import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RATE_LIMITS, startTestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore } from '../testing/store.js';
import { ALWAYS_OPEN, Scene, type Tenant } from './scene.js';

const HOUR_MS = 3_600_000;

let scene: Scene;
let tenant: Tenant;
/** When it is, epoch ms, while the time stands still: what is counted by the minute takes a busy machine longer. */
let stoppedAt: number | undefined;
const clock: Clock = { ...systemClock, now: () => stoppedAt ?? systemClock.now() };
beforeAll(async () => {
  scene = await Scene.set(DEFAULT_RATE_LIMITS, clock);
});
afterAll(() => scene?.close());
afterEach(() => {
  stoppedAt = undefined;
});

const limitOf = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-limit'));

describe('limits', () => {
  // @rule 8.1
  it('allow 60 requests a minute to a tenant, both its keys together', async () => {
    stoppedAt = Date.now();
    tenant = await scene.newTenant();
    const first = await scene.ask(tenant.test, 'GET', '/api/v1/calls');
    const second = await scene.ask(tenant.live, 'GET', `/api/v1/agents/${tenant.agentId}`);
    expect([limitOf(first), limitOf(second)]).toEqual([60, 60]);
    const left = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-remaining'));
    expect(left(second), 'both keys of the tenant count together').toBe(left(first) - 1);
  });

  // @rule 8.3
  it('allow 10 dialing requests a minute, counted apart', async () => {
    stoppedAt = Date.now();
    tenant = await scene.newTenant();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) {
      const path = n % 2 ? '/api/v1/calls' : '/api/v1/phones/provision';
      const answer = await scene.ask(tenant.test, 'POST', path, {});
      expect(limitOf(answer)).toBe(10);
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
    expect((await scene.ask(tenant.test, 'GET', '/api/v1/calls')).status).toBe(200);
  });

  // @rule 8.4
  it('allow 5 test calls an hour in production, and any number in the sandbox', async () => {
    stoppedAt = Date.now();
    tenant = await scene.newTenant();
    await scene.number(tenant, '+14155550151');
    const agent_id = await scene.made(tenant.live, '/api/v1/agents', {
      name: 'T',
      system_prompt: 'p',
      calling_hours: ALWAYS_OPEN,
    });
    const test = (key: string, body: object) => scene.refusal(key, 'POST', '/api/v1/calls/test', body);
    const asked: unknown[] = [];
    for (let n = 0; n < 6; n++) {
      const [status, code] = await test(tenant.live, { agent_id, to_number: '+12025550123' });
      asked.push(status === 202 ? status : code);
    }
    expect(asked).toEqual([202, 202, 202, 202, 202, 'rate_limited']);
    for (let n = 0; n < 6; n++) expect((await test(tenant.test, { agent_id: tenant.agentId }))[0]).toBe(202);
  });

  // @rule 8.5
  it('are given in the headers of every response, and Retry-After in those of a 429', async () => {
    stoppedAt = Date.now();
    tenant = await scene.newTenant();
    const answers = [
      await scene.ask(tenant.test, 'GET', '/api/v1/agents'),
      await scene.ask(tenant.test, 'GET', '/api/v1/agents/nonsense'),
      await scene.ask(undefined, 'GET', '/api/v1/agents'),
      await scene.ask(undefined, 'GET', '/api/v1/webhooks/event-types'),
      await scene.ask(tenant.test, 'GET', '/api/v1/no-such-thing'),
    ];
    for (const { headers, status } of answers) {
      for (const name of ['limit', 'remaining', 'reset']) {
        expect.soft(headers.get(`x-ratelimit-${name}`), `${status} ${name}`).toMatch(/^\d+$/);
      }
    }
    const reset = Number(answers[0]!.headers.get('x-ratelimit-reset')) - stoppedAt / 1000;
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(61);
  });

  // @rule 8.8
  it('replay the response to a repeated Idempotency-Key byte for byte, without running it again', async () => {
    tenant = await scene.newTenant();
    const body = { name: 'Once', system_prompt: 'p' };
    const headers = { 'idempotency-key': 'a key' };
    const first = await scene.ask(tenant.test, 'POST', '/api/v1/agents', body, headers);
    const second = await scene.ask(tenant.test, 'POST', '/api/v1/agents', body, headers);
    expect([first.headers.get('x-idempotent-replay'), second.headers.get('x-idempotent-replay')]).toEqual([
      null,
      'true',
    ]);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    const listed = await scene.json<{ total: number }>(
      tenant.test,
      'GET',
      '/api/v1/agents?include_total=true',
    );
    expect(listed.total).toBe(2);
    const other = await scene.ask(tenant.test, 'POST', '/api/v1/agents', { ...body, name: 'Other' }, headers);
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  });

  // @rule 8.6
  it('honour an Idempotency-Key of POST, PATCH, PUT and DELETE', async () => {
    tenant = await scene.newTenant();
    const steps: [string, string, unknown][] = [
      ['PATCH', `/api/v1/agents/${tenant.agentId}`, { name: 'B' }],
      ['PUT', `/api/v1/agents/${tenant.agentId}/nudge-presets`, { presets: [{ label: 'l', text: 't' }] }],
      ['DELETE', `/api/v1/agents/${tenant.agentId}`, undefined],
    ];
    for (const [method, path, body] of steps) {
      const headers = { 'idempotency-key': `${method} once` };
      const first = await scene.ask(tenant.test, method, path, body, headers);
      const second = await scene.ask(tenant.test, method, path, body, headers);
      expect.soft(second.headers.get('x-idempotent-replay'), method).toBe('true');
      expect.soft([second.status, second.text]).toEqual([first.status, first.text]);
    }
  });

  // @rule 8.7
  it('keep an Idempotency-Key for 24 hours, not less and not more', async () => {
    // From now on: the store removes by its own clock what has expired.
    const clock = new ScriptedClock(Date.now());
    const store = await startTestStore();
    const plane = await startTestControlPlane(store.uri, { clock });
    const { key } = await plane.newKey();
    const create = async () => {
      const answer = await plane.request('POST', '/api/v1/agents', {
        key,
        body: { name: 'Once', system_prompt: 'p' },
        headers: { 'idempotency-key': 'for a day' },
      });
      return { text: answer.text, replayed: answer.headers.get('x-idempotent-replay') };
    };
    const first = await create();
    clock.jump(24 * HOUR_MS - 60_000);
    const within = await create();
    clock.jump(60_001);
    const after = await create();
    await plane.close();
    await store.close();
    expect(within).toEqual({ text: first.text, replayed: 'true' });
    expect(after.replayed).toBeNull();
    expect(after.text).not.toBe(first.text);
  });

  // @rule 4.17, 4.18, 8.12
  it('give the generation of criteria 30 seconds, then answer generic defaults', async () => {
    const clock = new ScriptedClock(Date.now());
    const store = await startTestStore();
    const env = { OPENAI_API_KEY: 'good', OPENAI_BASE_URL: scene.openai.baseUrl };
    const plane = await startTestControlPlane(store.uri, { clock, env });
    const { key } = await plane.newKey();
    const voice_config = { llm: { provider: 'openai' } };
    await plane.request('POST', '/api/v1/agents', {
      key,
      body: { name: 'Ann', system_prompt: 'p', voice_config },
    });
    scene.openai.faults.stallNext = 1;
    let answered = false;
    const asked = plane
      .request('POST', '/api/v1/campaigns/generate-criteria', { key, body: { goal: 'Sell' } })
      .finally(() => {
        answered = true;
      });
    await eventually(() => scene.openai.faults.stallNext === 0);
    clock.advance(29_999);
    // A whole request later, an answer that were due would be here.
    await plane.request('GET', '/api/v1/agents', { key });
    const early = answered;
    clock.advance(1);
    const answer = await asked;
    await plane.close();
    await store.close();
    expect(early).toBe(false);
    expect(answer).toMatchObject({ status: 200, json: { source: 'defaults' } });
  });

  // @rule 8.9
  it('bound the page sizes of agents, calls and campaigns, 50 by default', async () => {
    tenant = await scene.newTenant();
    for (const [plural, most] of [
      ['agents', 100],
      ['calls', 500],
      ['campaigns', 100],
    ] as const) {
      const status = async (limit: number) =>
        (await scene.ask(tenant.test, 'GET', `/api/v1/${plural}?limit=${limit}`)).status;
      expect
        .soft([await status(0), await status(1), await status(most), await status(most + 1)], plural)
        .toEqual([422, 200, 200, 422]);
    }
  });

  // @rule 8.10
  it('take a usage window of 1 to 90 days, 30 by default', async () => {
    tenant = await scene.newTenant();
    const status = async (days: number) =>
      (await scene.ask(tenant.test, 'GET', `/api/v1/billing/usage?days=${days}`)).status;
    expect([await status(0), await status(1), await status(90), await status(91)]).toEqual([
      422, 200, 200, 422,
    ]);
    const { daily } = await scene.json<{ daily: object[] }>(tenant.test, 'GET', '/api/v1/billing/usage');
    expect(daily).toHaveLength(30);
  });

  // @rule 8.13
  it("take an uploaded campaign's name of at most 255 characters", async () => {
    tenant = await scene.newTenant();
    const upload = async (name: string) => {
      const form = new FormData();
      form.append('file', new Blob(['phone\n+15005550006\n'], { type: 'text/csv' }), 'c.csv');
      const query = new URLSearchParams({ agent_id: tenant.agentId, campaign_name: name });
      const answer = await fetch(`${scene.plane.url}/api/v1/campaigns/upload?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.test}` },
        body: form,
      });
      return answer.status;
    };
    expect([await upload('n'.repeat(255)), await upload('n'.repeat(256))]).toEqual([201, 422]);
  });

  // @rule 8.14, 8.15, 8.16
  it('page by a cursor that is stable under writes, or by offset', async () => {
    tenant = await scene.newTenant();
    const make = (name: string) => scene.made(tenant.test, '/api/v1/agents', { name, system_prompt: 'p' });
    const made = [tenant.agentId, await make('1'), await make('2'), await make('3')];
    interface Page {
      agents: { id: string }[];
      has_more: boolean;
      next_cursor: string | null;
    }
    const page = (query: string) => scene.json<Page>(tenant.test, 'GET', `/api/v1/agents?limit=2${query}`);
    const first = await page('');
    expect([first.has_more, typeof first.next_cursor]).toEqual([true, 'string']);
    await make('written in between');
    const second = await page(`&cursor=${encodeURIComponent(first.next_cursor!)}`);
    expect([second.has_more, second.next_cursor]).toEqual([false, null]);
    expect([...first.agents, ...second.agents].map(({ id }) => id)).toEqual([...made].reverse());
    expect((await page('&offset=4')).agents.map(({ id }) => id)).toEqual([tenant.agentId]);
    expect(await scene.refusal(tenant.test, 'GET', '/api/v1/agents?cursor=made-up')).toEqual([
      422,
      'invalid_cursor',
    ]);
  });
});
