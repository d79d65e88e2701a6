import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw, FRAME_BYTES } from '@voice/shared/audio/g711';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Conversation } from '../emulators/telnyx/phone.js';
import { type CallDetail, expectStatus, isOver, Tenant } from '../system/tenant.js';
import { AGENT_SAYS, CALLER_SAYS, CALLERS, MODEL_SCRIPT } from './harness/dental-conversation.js';
import { EmulatedVendors } from './harness/emulated-vendors.js';
import { quickAgent } from './harness/quick-agent.js';
import { decodeRecording, type Recording } from './harness/recording.js';
import { SeparateSystem } from './harness/separate-system.js';
import { type TelnyxPeople, telnyxPeople } from './harness/telnyx-people.js';
import { talkByWebRtc, whyNoWebRtc } from './harness/webrtc-person.js';
import { type TesterCall, talkByWebSocket } from './harness/websocket-person.js';

const CALL_WITHIN_MS = 220_000;
const FIRST = 'How can I help you?';

let people: TelnyxPeople;
let vendors: EmulatedVendors;
let system: SeparateSystem;
let tenant: Tenant;

beforeAll(async () => {
  people = await telnyxPeople({}, CALLERS);
  const lines: readonly string[] = Object.values(CALLER_SAYS);
  vendors = await EmulatedVendors.start(
    people.phrasebook.filter(({ text }) => lines.includes(text)),
    MODEL_SCRIPT,
  );
  const loopback = { EGRESS_ALLOW: '127.0.0.1/32' };
  system = await SeparateSystem.start({ ...vendors.env, ...loopback }, { workerEnv: loopback });
  tenant = await Tenant.create(system, agent(vendors.voice('cascaded')));
});
afterAll(async () => {
  await system?.stop();
  await vendors?.close();
});

function agent(voice: Readonly<Record<string, unknown>>) {
  return {
    ...quickAgent,
    first_message: FIRST,
    disclosure: { text: AGENT_SAYS.disclosure },
    turn_taking: { fillers: [] },
    silence_timeout_seconds: 20,
    ...voice,
  };
}

async function createAgent(voice: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await tenant.request('POST', '/api/v1/agents', agent(voice));
  return String(expectStatus(201, made).json.id);
}

/** Says the same frame for ever. */
const always = (frame: Uint8Array): Conversation => ({
  step: () => ({ frame, beeped: false, hangsUp: false }),
  close: () => {},
});
const SILENCE = new Uint8Array(FRAME_BYTES).fill(0xff);
const TONE = encodeMulaw(
  Int16Array.from({ length: FRAME_BYTES }, (_, n) => 6000 * Math.sin((2 * Math.PI * 400 * n) / 8000)),
);

/** Says nothing until they are asked to, and then the line, once. */
function silentCaller(line: string): { readonly conversation: Conversation; readonly speak: () => void } {
  const { audio } = people.phrasebook.find(({ text }) => text === line)!;
  let at = audio.length;
  return {
    conversation: {
      step() {
        const frame = SILENCE.slice();
        frame.set(audio.subarray(at, at + FRAME_BYTES));
        at += FRAME_BYTES;
        return { frame, beeped: false, hangsUp: false };
      },
      close: () => {},
    },
    speak: () => {
      at = 0;
    },
  };
}

const started = (agentId: string, conversation: Conversation) =>
  talkByWebSocket(tenant, agentId, conversation, PCMU_8K);
const ended = (id: string) => tenant.untilStatus(id, isOver, CALL_WITHIN_MS, undefined, 1000);
const said = (text: string) => (call: CallDetail) => call.transcript.some((turn) => turn.text.includes(text));

/** Gives a call in which the agent says its first words, and no more is said. */
async function shortCall(agentId: string): Promise<CallDetail> {
  const call = await started(agentId, always(SILENCE));
  await tenant.until(call.callId, said(FIRST), CALL_WITHIN_MS, undefined, 1000);
  return hungUp(call);
}

async function hungUp(call: TesterCall): Promise<CallDetail> {
  call.hangUp();
  await call.closed;
  return ended(call.callId);
}

/** ms of a side, in steps of 100, in which nothing is heard. */
function silentMs(recording: Recording, side: 'caller' | 'agent'): number {
  let silent = 0;
  for (let at = 0; at + 100 <= recording.durationMs; at += 100) {
    if (recording.loudness(side, at, at + 100) < 0.005) silent += 100;
  }
  return silent;
}

const noWebRtc = whyNoWebRtc();

/** Of the worker's child; undefined while there is none. */
function mediasoupPid(): number | undefined {
  const { pid } = system.worker;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children
    .map(Number)
    .find((child) => child > 0 && readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('mediasoup'));
}

describe.concurrent('live calls, whatever their pipeline', () => {
  it('have silence in the recording while it is paused', async () => {
    const call = await started(await createAgent({}), always(TONE));
    await tenant.untilStatus(call.callId, ({ status }) => status === 'IN_PROGRESS', CALL_WITHIN_MS);
    await sleep(2000);
    const path = `/api/v1/calls/${call.callId}/recording`;
    const before = performance.now();
    expectStatus(202, await tenant.request('POST', `${path}/pause`));
    const paused = performance.now();
    await sleep(4000);
    const resuming = performance.now();
    expectStatus(202, await tenant.request('POST', `${path}/resume`));
    const after = performance.now();
    await sleep(2000);
    const { id, duration_ms } = await hungUp(call);
    const recording = await decodeRecording((await tenant.recording(id, 60_000)).mp3);
    expect(Math.abs(recording.durationMs - duration_ms!)).toBeLessThan(3000);
    const silent = silentMs(recording, 'caller');
    expect(silent).toBeGreaterThan(resuming - paused - 1500);
    expect(silent).toBeLessThan(after - before + 3000);
  }, 300_000);

  it('bring what is whispered to a speech-to-speech model', async () => {
    const call = await started(await createAgent(vendors.voice('gemini')), people.talk('talks_over'));
    await tenant.until(call.callId, said(FIRST), CALL_WITHIN_MS);
    const text = 'The caller is a member of the gold club.';
    expectStatus(202, await tenant.request('POST', `/api/v1/calls/${call.callId}/whisper`, { text }));
    await expect
      .poll(() => JSON.stringify(vendors.gemini.memory()), { timeout: CALL_WITHIN_MS, interval: 500 })
      .toContain('gold club');
    await hungUp(call);
  }, 300_000);

  it('go on as the agent’s cascade when the speech-to-speech provider cannot be reached', async () => {
    const realtime = { provider: 'openai', params: { base_url: 'http://127.0.0.1:9/v1', api_key: 'sk' } };
    const agentId = await createAgent({
      pipeline_type: 'realtime',
      voice_config: { realtime },
      fallback_voice_config: vendors.cascade,
      silence_timeout_seconds: 6,
    });
    const { callId } = await started(agentId, people.talk('talks_over'));
    const call = await ended(callId);
    expect(call).toMatchObject({ status: 'COMPLETED' });
    const { json } = await tenant.request('GET', `/api/v1/calls/${callId}/detail`);
    expect(JSON.stringify(json.events)).toContain('realtime_replaced');
    const texts = call.transcript.map(({ role, text }) => `${role}: ${text}`).join('\n');
    expect(texts).toContain(`agent: ${FIRST}`);
    expect(texts).toContain('caller: What happens at the yearly check-up?');
    expect(texts).toContain('agent: At the check-up');
    expect(call.usage!.segments).toContainEqual(
      expect.objectContaining({ kind: 'llm', provider: 'openai', fallback: true }),
    );
  }, 300_000);

  it('are of the pipeline that a PATCH has given to the agent before', async () => {
    const agentId = await createAgent(vendors.voice('cascaded'));
    const patch = async (body: object) =>
      expectStatus(200, await tenant.request('PATCH', `/api/v1/agents/${agentId}`, body));
    expect((await shortCall(agentId)).usage!.realtime).toBeUndefined();
    await patch(vendors.voice('openai'));
    expect((await shortCall(agentId)).usage!.realtime).toMatchObject({ provider: 'openai' });
    await patch({ pipeline_type: 'cascaded' });
    const { usage } = await shortCall(agentId);
    expect(usage!.realtime).toBeUndefined();
    expect(usage!.tts).toMatchObject({ provider: 'elevenlabs' });
  }, 300_000);

  it.skipIf(noWebRtc)(
    'outlive mediasoup’s worker: over a new connection, and new ones begin',
    async () => {
      const agentId = await createAgent({ ...vendors.voice('openai'), silence_timeout_seconds: 120 });
      // What is said while there is no connection is lost: the caller waits for the new one.
      const caller = silentCaller(CALLER_SAYS.interruption);
      const call = await talkByWebRtc(tenant, agentId, caller.conversation);
      await tenant.until(call.callId, said(FIRST), CALL_WITHIN_MS);
      const killed = mediasoupPid()!;
      process.kill(killed, 'SIGKILL');
      // Not expect.poll: beside each other, tests may only poll by their own `expect`.
      await vi.waitFor(() => expect([undefined, killed]).not.toContain(mediasoupPid()), {
        timeout: 60_000,
        interval: 50,
      });
      await call.reconnect();
      caller.speak();
      await tenant.until(call.callId, said(AGENT_SAYS.price), CALL_WITHIN_MS, undefined, 1000);
      expectStatus(202, await tenant.request('POST', `/api/v1/calls/${call.callId}/hangup`, {}));
      const over = await ended(call.callId);
      await call.close();
      expect(over).toMatchObject({ status: 'COMPLETED', end_reason: 'operator_hangup' });
      expect(over.metrics.line!.packets_received).toBeGreaterThan(100);
      const next = await talkByWebRtc(tenant, agentId, always(SILENCE));
      await tenant.until(next.callId, said(FIRST), CALL_WITHIN_MS);
      await next.close();
    },
    240_000,
  );
});
