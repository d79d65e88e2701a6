import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';
import { testCallPlan } from '../testing/call-plan.js';
import { scriptedVoice } from '../testing/scripted-providers.js';
import { EmulatedStage } from './testing/emulated-stage.js';

const ANSWER = 'We are open from nine to five, Monday to Friday.';
const SECOND = 'This is the other model speaking now.';
const APOLOGY = 'I am sorry, something went wrong. Could you say that again?';
const FILLER = 'One moment, please.';

/** Calls whose language model fails in every way that it can, with a model to fall back on and without one. */
describe('a call whose language model', () => {
  let first: OpenAiEmulator;
  let second: OpenAiEmulator;
  let stage: EmulatedStage;

  beforeEach(async () => {
    first = await startOpenAiEmulator({ apiKeys: ['key'], script: [{ whenUserSays: /./, say: ANSWER }] });
    second = await startOpenAiEmulator({ keyless: true, script: [{ whenUserSays: /./, say: SECOND }] });
  });

  afterEach(async () => {
    await stage.close();
    await Promise.all([first.close(), second.close()]);
  });

  const choice = (params: Record<string, unknown> = {}) => ({ provider: 'openai', model: 'm', params });
  const local = { provider: 'local', model: '', params: {} };

  function begin(options: { fallback: boolean; breakers?: CircuitBreakers }): EmulatedStage {
    const plan = testCallPlan(
      { credentials: { openai: { api_key: 'key', base_url: first.baseUrl } } },
      {
        first_message: '',
        voice_config: { stt: local, llm: choice(), tts: local },
        fallback_voice_config: options.fallback ? { llm: choice({ base_url: second.baseUrl }) } : {},
        turn_taking: { ...testCallPlan().agent.turn_taking, apology: APOLOGY, preemptive_generation: 'off' },
      },
    );
    const { breakers } = options;
    stage = new EmulatedStage({
      plan,
      ...(breakers ? { breakers: () => breakers } : {}),
      scripted: ({ recogniser }) => ({
        speechToText: recogniser.speechToText,
        textToSpeech: scriptedVoice(),
      }),
    });
    return stage;
  }

  /** Lets the caller ask, and time pass until a model has been asked. */
  async function callerAsks(asked: () => number = () => first.counters.requests): Promise<void> {
    const before = asked();
    await stage.callerSays('When are you open?');
    for (let waited = 0; asked() === before && waited < 4000; waited += 20) await stage.pass(20);
    expect(asked()).toBeGreaterThan(before);
  }

  /** Lets the network take its time, and as much of the call's as is needed until the agent has said it all. */
  async function untilSaid(text: string, withinMs = 20_000): Promise<void> {
    for (let waited = 0; waited < withinMs && !stage.turns().includes(`agent: ${text}`); waited += 20) {
      await stage.pass(20);
    }
    expect(stage.turns()).toContain(`agent: ${text}`);
  }

  describe('has a fallback', () => {
    it('is silent: the other answers as soon as the budget is over', async () => {
      begin({ fallback: true });
      first.faults.stallNext = 1;
      await callerAsks();
      await stage.pass(1400);
      expect(second.counters.requests).toBe(0);
      await stage.pass(200);
      await stage.settled(() => second.counters.completed === 1);
      await untilSaid(SECOND, 5000);
      await stage.settled(() => first.counters.aborted === 1);
      expect(stage.notices()).toEqual(['budget_passed', 'provider_replaced']);
    });

    it.each([
      ['is down (500)', { failNext: 1, failStatus: 500 }],
      [
        'has too many requests and says for how long (429)',
        { failNext: 1, failStatus: 429, retryAfterSeconds: 30 },
      ],
      ['refuses the key (401)', { failNext: 1, failStatus: 401 }],
      ['sends garbage', { garbageNext: 1, cutAfterTokens: 0 }],
      ['tears the connection', { cutNext: 1, cutAfterTokens: 0 }],
    ] as const)('%s: the other answers at once', async (_, faults) => {
      begin({ fallback: true });
      Object.assign(first.faults, faults);
      await callerAsks();
      await stage.settled(() => second.counters.completed === 1);
      await untilSaid(SECOND, 5000);
      expect(first.counters.requests).toBe(1);
      expect(stage.notices()).toEqual(['provider_replaced']);
    });

    it.each([
      ['ends its answer without a word', '', ['provider_replaced']],
      ['is cut off in its thoughts', '<think>The caller wants to know', ['llm_protocol_violation']],
    ])('%s: the other answers', async (_, say, notices) => {
      await first.close();
      first = await startOpenAiEmulator({ apiKeys: ['key'], script: [{ whenUserSays: /./, say }] });
      begin({ fallback: true });
      await callerAsks();
      await stage.settled(() => second.counters.completed === 1);
      await untilSaid(SECOND, 5000);
      expect(stage.notices()).toEqual(notices);
    });

    it('falls silent in mid-answer: within two seconds that is known, and the other answers', async () => {
      begin({ fallback: true });
      Object.assign(first.faults, { freezeNext: 1, cutAfterTokens: 2 });
      await callerAsks();
      await stage.settled(() => first.counters.active === 1);
      await stage.pass(2100);
      await stage.settled(() => second.counters.completed === 1);
      await untilSaid(SECOND, 5000);
      expect(stage.notices()).toEqual(['llm_timed_out']);
    });
  });

  it('fails every call is left alone by all of them, until one that tries it again succeeds', async () => {
    const clock = new ScriptedClock();
    const breakers = new CircuitBreakers(clock);
    first.faults.failNext = 5;
    async function call(answer: string, asked: () => number): Promise<void> {
      begin({ fallback: true, breakers });
      await callerAsks(asked);
      await untilSaid(answer);
      await stage.close();
    }
    const askedOfFirst = () => first.counters.requests;
    const askedOfSecond = () => second.counters.requests;
    for (let number = 0; number < 5; number++) await call(SECOND, askedOfFirst);
    await call(SECOND, askedOfSecond);
    expect(first.counters.requests).toBe(5);
    expect(stage.notices()).toEqual(['provider_replaced']);
    clock.advance(10_000);
    await call(ANSWER, askedOfFirst);
    await call(ANSWER, askedOfFirst);
    expect(second.counters.requests).toBe(6);
  });

  describe('has no fallback', () => {
    it('is silent: filler, apology in the agent’s words, and the next turn works again', async () => {
      begin({ fallback: false });
      first.faults.stallNext = 2;
      await callerAsks();
      await stage.pass(1600);
      // A connection that died unseen looks the same: another one is tried beside it.
      await stage.settled(() => first.counters.requests === 2);
      await untilSaid(APOLOGY, 8000);
      expect(stage.turns().filter((turn) => turn.startsWith('agent'))).toEqual([
        `agent: ${FILLER}`,
        `agent: ${APOLOGY}`,
      ]);
      expect(stage.notices()).toContain('llm_timed_out');
      await callerAsks();
      await stage.settled(() => first.counters.completed === 1);
      await untilSaid(ANSWER, 5000);
      expect(stage.over).toBe(false);
    });

    it('had a connection that died unseen: another one brings the answer', async () => {
      begin({ fallback: false });
      first.faults.stallNext = 1;
      await callerAsks();
      await stage.pass(1600);
      await stage.settled(() => first.counters.completed === 1);
      await untilSaid(ANSWER, 5000);
    });

    it.each([
      ['failed once (500)', { failNext: 1, failStatus: 500 }],
      ['had too many requests once (429)', { failNext: 1, failStatus: 429 }],
      ['tore one connection', { cutNext: 1, cutAfterTokens: 0 }],
    ] as const)('%s: it answers all the same', async (_, faults) => {
      begin({ fallback: false });
      Object.assign(first.faults, faults);
      await callerAsks();
      await stage.pass(600);
      await stage.settled(() => first.counters.completed === 1);
      await untilSaid(ANSWER, 5000);
      expect(stage.notices()).toEqual(['provider_retried']);
    });

    it('has too many requests for longer than a turn: apology at once', async () => {
      begin({ fallback: false });
      Object.assign(first.faults, { failNext: 1, failStatus: 429, retryAfterSeconds: 30 });
      await callerAsks();
      await stage.settled(() => stage.notices().includes('llm_rate_limited'));
      await untilSaid(APOLOGY, 5000);
      expect(first.counters.requests).toBe(1);
    });
  });
});
