import { PCMU_8K } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { type ConversationOptions, createConversation } from '../create-conversation.js';
import { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';
import { DEFAULT_ANSWER_LIMITS } from '../providers/resilience/limits.js';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage, noMcpTools } from '../testing/call-stage.js';
import { ScriptedRecogniser } from '../testing/scripted-providers.js';
import { CONNECT_MS, SlowHosts } from '../testing/slow-hosts.js';
import type { CallEnvironment } from './call-environment.js';
import { PreparedCalls } from './prepared-calls.js';

const remote = (provider: string) => ({ provider, model: '', params: {} });
const VOICE = { stt: remote('deepgram'), llm: remote('openai'), tts: remote('elevenlabs') };
const RINGS_MS = 8000;

type Options = Pick<ConversationOptions, 'tools' | 'notice'> & Partial<Pick<ConversationOptions, 'detector'>>;

let hosts: SlowHosts;
let breakers: CircuitBreakers;

interface Scene {
  readonly plan?: Partial<CallPlan>;
  /** Kinds that cannot be reached. */
  readonly down?: readonly ('stt' | 'llm' | 'tts')[];
}

const planOf = (changes: Partial<CallPlan> = {}) =>
  testCallPlan(changes, { voice_config: VOICE, first_message: 'Good morning.' });

/** Creates a conversation over slow hosts. */
function conversationOf(plan: CallPlan, clock: Clock, scene: Scene, options: Options) {
  hosts = new SlowHosts(clock);
  for (const kind of scene.down ?? []) hosts.down.add(kind);
  breakers = new CircuitBreakers(clock);
  return createConversation(plan, {
    detector: new ScriptedRecogniser().detector,
    ...options,
    providers: hosts,
    endOfTurn: undefined,
    breakers,
    clock,
    answerLimits: DEFAULT_ANSWER_LIMITS,
    log: silentLog,
  });
}

/** A call over slow hosts that was not prepared. */
function coldCall(scene: Scene = {}, rings = false): CallStage {
  const plan = planOf(scene.plan);
  return new CallStage({
    plan,
    rings,
    createConversation: ({ clock, recogniser }, { tools, notice }) =>
      conversationOf(plan, clock, scene, { tools, notice, detector: recogniser.detector }),
  });
}

/** A call over slow hosts whose phone has rung. */
const warmCall = (scene: Scene = {}) => coldCall(scene, true).rings(RINGS_MS);

/** Time until the line is sent a frame that it has not been sent yet, in ms. */
async function untilFrame(stage: CallStage): Promise<number> {
  const sent = stage.line.frames.length;
  const since = stage.clock.monotonic();
  for (let i = 0; i < 300 && stage.line.frames.length === sent; i++) await stage.pass(20);
  return stage.clock.monotonic() - since;
}

/** Time from the caller's words to the answer's first frame, in ms, after the greeting. */
async function untilAnswer(stage: CallStage): Promise<number> {
  await stage.pass(3000);
  await stage.callerSpeaks();
  await stage.pass(100);
  hosts.transcribes('When do you close?');
  return untilFrame(stage);
}

describe('a call that was prepared while the phone rang', () => {
  it('greets with the pick-up, though its voice takes long to connect', async () => {
    const cold = await untilFrame(coldCall());
    const warm = await untilFrame(await warmCall());
    expect(cold).toBeGreaterThanOrEqual(CONNECT_MS);
    expect(warm).toBeLessThanOrEqual(40);
  });

  it('answers its first question without a handshake of recogniser or model', async () => {
    const warm = await warmCall();
    expect(hosts.open).toEqual({ stt: 1, llm: 1, tts: 1 });
    const warmMs = await untilAnswer(warm);
    const cold = await warmCall({ down: ['llm'] });
    // Less what preemptive generation hides of it.
    expect((await untilAnswer(cold)) - warmMs).toBeGreaterThan(200);
    expect(warm.turns()).toContain('caller: When do you close?');
  });

  it('synthesizes the disclosure first, and says it first', async () => {
    const stage = await warmCall({ plan: { disclosure: 'I am an AI.' } });
    await stage.pass(3000);
    expect(hosts.spoken).toEqual(['I am an AI.', 'Good morning.']);
    expect(stage.turns()).toEqual(['agent: I am an AI.', 'agent: Good morning.']);
  });

  it('closes all that it opened when it ends', async () => {
    const stage = await warmCall();
    await stage.pass(100);
    stage.call.end('operator_hangup');
    await stage.pass(100);
    expect(stage.over).toBe(true);
    expect(hosts.open).toEqual({ stt: 0, llm: 0, tts: 0 });
  });

  it.each(['stt', 'llm', 'tts'] as const)(
    'works as if nothing had been prepared when %s could not be reached, which its breaker knows',
    async (kind) => {
      const stage = await warmCall({ down: [kind] });
      hosts.down.clear();
      expect(await untilAnswer(stage)).toBeLessThan(2000);
      await stage.pass(3000);
      expect(stage.turns()).toEqual([
        'agent: Good morning.',
        'caller: When do you close?',
        'agent: We are open until six.',
      ]);
      const { results } = breakers.list().find((report) => report.kind === kind)!;
      expect(results.failed).toBeGreaterThan(0);
    },
  );
});

describe('a call that is prepared and never answered', () => {
  it('releases all that was opened, and has used what was synthesized', async () => {
    const clock = new ScriptedClock();
    const plan = planOf({ disclosure: 'I am an AI.' });
    const environment = {
      clock,
      openMcpTools: noMcpTools,
      createConversation: (_: CallPlan, options: Options) => conversationOf(plan, clock, {}, options),
    };
    const calls = new PreparedCalls(environment as unknown as CallEnvironment);
    calls.prepare(plan);
    await clock.advanceAsync(RINGS_MS);
    expect(hosts.open).toEqual({ stt: 1, llm: 1, tts: 1 });
    expect(calls.usage(plan.call_id)?.tts.characters).toBe('I am an AI.Good morning.'.length);
    calls.abandon(plan.call_id);
    expect(calls.givenUpUsage(plan.call_id)?.tts.characters).toBe('I am an AI.Good morning.'.length);
    expect(hosts.open).toEqual({ stt: 0, llm: 0, tts: 0 });
    expect(clock.pending).toBe(0);
  });

  it('does not synthesize a first message that is too long to be kept', async () => {
    const clock = new ScriptedClock();
    const message = 'We are open from nine to five. '.repeat(40);
    const plan = testCallPlan({}, { voice_config: VOICE, first_message: message });
    const conversation = conversationOf(plan, clock, {}, { tools: [], notice: () => {} });
    conversation.prepare(PCMU_8K);
    await clock.advanceAsync(RINGS_MS);
    expect(hosts.spoken).toEqual([]);
    conversation.close();
  });
});
