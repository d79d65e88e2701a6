import type { CallEventBody } from '@voice/shared/contracts/call-events';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import { ended, mediaStarted } from '../../calls/testing/events.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import type { ProxiedUsageRow } from './usage-model.js';

const KEY = 'platform-key';
let carrier: ScriptedCarrier;
let openai: OpenAiEmulator;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;

beforeAll(async () => {
  openai = await startOpenAiEmulator({ apiKeys: [KEY], firstTokenDelayMs: 10, tokenDelayMs: 5 });
  const installation = await startTestInstallation({
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: openai.baseUrl, LLM_PROXY: 'on' },
  });
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
afterAll(() => openai?.close());
beforeEach(async () => {
  Object.assign(openai.faults, { failNext: 0, cutNext: 0 });
  worker.held.clear();
  ({ key } = await plane.newKey());
  await worker.heartbeat(plane);
});

/** A live call, and what its worker was given to reach the model. */
async function liveCall(params: object = {}) {
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: {
      name: 'A',
      system_prompt: 'x',
      voice_config: {
        stt: { provider: 'local' },
        llm: { provider: 'openai', params },
        tts: { provider: 'local' },
      },
    },
  });
  const answer = await plane.request('POST', '/api/v1/calls', {
    key,
    body: {
      agent_id: (made.json as { id: string }).id,
      from_number: SANDBOX_CALLER_ID,
      to_number: '+15005550006',
    },
  });
  const { id } = answer.json as { id: string };
  const line = (await eventually(() => carrier.callOf(id)))!;
  await worker.send(plane, worker.number(id, [mediaStarted(line.sid)]));
  const { credentials } = worker.plans.find(({ call_id }) => call_id === id)!;
  return { id, access: credentials.openai! };
}
const clientOf = ({ api_key, base_url }: { api_key?: string; base_url?: string }) =>
  new OpenAI({ apiKey: api_key, baseURL: base_url, maxRetries: 0 });
const hello = [{ role: 'user', content: 'Hello there' }] as const;
const usageOf = (id: string) =>
  plane.platform.store.models.ProxiedUsage!.findOne({ call_id: id }).lean<ProxiedUsageRow>();

describe('the language model proxy', () => {
  it("gives the worker the call's token instead of the platform's key", async () => {
    const { access } = await liveCall();
    expect(access.base_url).toBe(`${plane.internalUrl}/internal/llm/v1`);
    expect(access.api_key).toMatch(/^call\./);
    expect(JSON.stringify(worker.plans)).not.toContain(KEY);
  });

  it('leaves an agent alone that brings its own key', async () => {
    const { access } = await liveCall({ api_key: 'the-agents-own' });
    expect(access.base_url).toBe(openai.baseUrl);
  });

  it('passes streams and whole answers on unchanged, and counts what is used by call', async () => {
    const { id, access } = await liveCall();
    const client = clientOf(access);
    const whole = await client.chat.completions.create({ model: 'm', messages: [...hello] });
    let text = '';
    const stream = await client.chat.completions.create({ model: 'm', messages: [...hello], stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? '';
    expect(text).toBe(whole.choices[0]!.message.content);
    const used = await eventually(
      () => usageOf(id),
      (row) => row?.requests === 2,
    );
    expect(used).toMatchObject({
      model: 'm',
      input_tokens: 2 * whole.usage!.prompt_tokens,
      output_tokens: 2 * whole.usage!.completion_tokens,
      estimated: 0,
    });
  });

  it("passes the model's refusals on, and counts nothing for them", async () => {
    const { id, access } = await liveCall();
    Object.assign(openai.faults, { failNext: 1, failStatus: 429 });
    await expect(
      clientOf(access).chat.completions.create({ model: 'm', messages: [...hello] }),
    ).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(await usageOf(id)).toBeNull();
  });

  it('tears where the model tears, and estimates what that cost', async () => {
    const { id, access } = await liveCall();
    openai.faults.cutNext = 1;
    const stream = await clientOf(access).chat.completions.create({
      model: 'm',
      messages: [...hello],
      stream: true,
    });
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toThrow();
    const used = await eventually(() => usageOf(id));
    expect(used).toMatchObject({ requests: 1, estimated: 1, input_tokens: 0, output_tokens: 0 });
    expect(used!.estimated_input_tokens).toBeGreaterThan(0);
  });

  it("adds to the call's usage what its worker did not receive", async () => {
    const { id, access } = await liveCall();
    const { usage } = await clientOf(access).chat.completions.create({ model: 'm', messages: [...hello] });
    await eventually(() => usageOf(id));
    const last = ended('caller_hangup', 1000) as Extract<CallEventBody, { kind: 'ended' }>;
    expect(last.usage.llm.provider).toBe('local');
    await worker.send(plane, worker.number(id, [last]));
    const record = await eventually(() =>
      plane.testStore().collection<{ _id: string }>('usage_records').findOne({ _id: id }),
    );
    expect(record).toMatchObject({
      llm_input_tokens: last.usage.llm.input_tokens + usage!.prompt_tokens,
      llm_output_tokens: last.usage.llm.output_tokens + usage!.completion_tokens,
    });
  });

  it('refuses a token that is not ours, and any once the call is over', async () => {
    const { id, access } = await liveCall();
    const ask = (apiKey: string) =>
      clientOf({ ...access, api_key: apiKey }).chat.completions.create({ model: 'm', messages: [...hello] });
    await expect(ask(KEY)).rejects.toMatchObject({ status: 401 });
    await expect(ask(access.api_key!.replace(/.$/, (c) => (c === '0' ? '1' : '0')))).rejects.toMatchObject({
      status: 401,
    });
    // Whatever the body: a stranger does not learn what would be taken.
    const stranger = await plane.atInternal('POST', '/internal/llm/v1/chat/completions', { body: {} });
    expect([stranger.status, stranger.json]).toMatchObject([401, { code: 'invalid_signature' }]);
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 1000)]));
    await expect(ask(access.api_key!)).rejects.toMatchObject({ status: 409 });
  });
});
