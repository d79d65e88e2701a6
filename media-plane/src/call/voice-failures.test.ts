import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ElevenLabsEmulator,
  startElevenLabsEmulator,
} from '../../../loadtest/emulators/elevenlabs/server.js';
import { testCallPlan } from '../testing/call-plan.js';
import { Relay } from '../testing/relay.js';
import { ScriptedLanguageModel } from '../testing/scripted-providers.js';
import { EmulatedStage } from './testing/emulated-stage.js';

const ANSWER = 'We are open from nine to five.';

/** Calls whose voice fails, with another one to fall back on and without one. */
describe('a call whose voice', () => {
  let elevenLabs: ElevenLabsEmulator;
  let stage: EmulatedStage;

  beforeEach(async () => {
    elevenLabs = await startElevenLabsEmulator({ apiKeys: ['key'], speed: 1000 });
  });

  afterEach(async () => {
    await stage.close();
    await elevenLabs.close();
  });

  const choice = (voice_id: string) => ({ provider: 'elevenlabs', model: '', params: { voice_id } });

  function begin(options: { fallback: boolean; url?: string }): void {
    const local = { provider: 'local', model: '', params: {} };
    const fallbacks: AgentSnapshot['fallback_voice_config'] = options.fallback
      ? { tts: choice('second') }
      : {};
    const plan = testCallPlan(
      { credentials: { elevenlabs: { api_key: 'key', base_url: options.url ?? elevenLabs.url } } },
      {
        first_message: '',
        voice_config: { stt: local, llm: local, tts: choice('first') },
        fallback_voice_config: fallbacks,
        turn_taking: { ...testCallPlan().agent.turn_taking, fillers: [], preemptive_generation: 'off' },
      },
    );
    stage = new EmulatedStage({
      plan,
      scripted: ({ recogniser }) => ({
        speechToText: recogniser.speechToText,
        languageModel: new ScriptedLanguageModel([ANSWER, ANSWER]),
      }),
    });
  }

  /** Lets the caller ask, and time pass until the voice was given the answer. */
  async function callerAsks(): Promise<void> {
    await stage.callerSays('When are you open?');
    await stage.pass(600);
    await stage.settled(() => stage.decided.some(({ type }) => type === 'text'));
  }

  async function untilSaid(withinMs = 10_000): Promise<void> {
    for (let waited = 0; waited < withinMs && !stage.turns().includes(`agent: ${ANSWER}`); waited += 20) {
      await stage.pass(20);
      // What is on its way comes sooner than seconds pass.
      await new Promise(setImmediate);
    }
    expect(stage.turns()).toContain(`agent: ${ANSWER}`);
  }

  /** Lets time pass until a voice that falls silent is given up: audio that is still on its way keeps it. */
  async function untilGivenUp(): Promise<void> {
    for (let waited = 0; waited < 10_000 && !notices().includes('tts_timed_out'); waited += 20) {
      await stage.pass(20);
      await new Promise(setImmediate);
    }
    expect(notices()).toContain('tts_timed_out');
  }

  const notices = () => stage.notices().filter((code) => code !== 'budget_passed');

  it.each([
    [true, 'provider_replaced'],
    [false, 'provider_retried'],
  ])(
    'takes the text and makes no sound (fallback: %s): known after two seconds',
    async (fallback, notice) => {
      begin({ fallback });
      elevenLabs.faults.stallNext = 1;
      await callerAsks();
      await stage.settled(() => elevenLabs.counters.turns === 1);
      await stage.pass(2100);
      await stage.settled(() => elevenLabs.counters.completed === 1);
      await untilSaid();
      expect(notices()).toEqual([notice]);
    },
  );

  it.each([
    ['is torn off', { dropNext: 2 }],
    ['sends an error', { errorNext: 1 }],
    ['sends garbage', { garbageNext: 1 }],
  ] as const)('%s before its first audio: the answer is heard all the same', async (_, faults) => {
    begin({ fallback: false });
    Object.assign(elevenLabs.faults, faults);
    await callerAsks();
    await stage.settled(() => elevenLabs.counters.completed === 1);
    await untilSaid();
    expect(notices()).toEqual(['provider_retried']);
  });

  it('makes no sound twice: apology, by a voice that works again', async () => {
    begin({ fallback: false });
    elevenLabs.faults.stallNext = 2;
    await callerAsks();
    await stage.settled(() => elevenLabs.counters.turns === 1);
    await stage.pass(2100);
    await stage.settled(() => elevenLabs.counters.turns === 2);
    await stage.pass(2100);
    await stage.settled(() => elevenLabs.counters.completed === 1);
    await stage.pass(6000);
    expect(stage.turns().at(-1)).toMatch(/^agent: I am sorry/);
    expect(notices()).toEqual(['provider_retried', 'tts_timed_out']);
    expect(stage.over).toBe(false);
  });

  it.each([429, 500])('refuses connections with %i: the fallback speaks at once', async (refuseStatus) => {
    // The one that was opened ahead, and the turn's own.
    Object.assign(elevenLabs.faults, { refuseNext: 2, refuseStatus });
    begin({ fallback: true });
    await stage.settled(() => elevenLabs.counters.refused === 1);
    await callerAsks();
    await stage.settled(() => elevenLabs.counters.completed === 1);
    await untilSaid();
    expect(notices()).toEqual(['provider_replaced']);
  });

  it('hangs at connect: known after two seconds, and the fallback speaks', async () => {
    elevenLabs.faults.hangNext = 2;
    begin({ fallback: true });
    await callerAsks();
    await stage.pass(2100);
    await stage.settled(() => elevenLabs.counters.completed === 1);
    await untilSaid();
    expect(notices()).toEqual(['provider_replaced']);
  });

  it('falls silent in mid-answer: what was heard is remembered, and the rest is begun anew', async () => {
    begin({ fallback: false });
    Object.assign(elevenLabs.faults, { freezeNext: 1, afterAudioMs: 500 });
    await callerAsks();
    await stage.settled(() => stage.decided.some(({ type }) => type === 'audio_ready'));
    await untilGivenUp();
    await stage.settled(() => elevenLabs.counters.completed === 1);
    await untilSaid();
    expect(notices()).toEqual(['tts_timed_out']);
    expect(stage.turns().filter((turn) => turn.startsWith('agent'))).toHaveLength(2);
  });

  it('loses its connection in mid-answer, unseen: the rest is said over another', async () => {
    const relay = await Relay.start(elevenLabs.port);
    try {
      begin({ fallback: false, url: `http://${relay.host}` });
      Object.assign(elevenLabs.faults, { freezeNext: 1, afterAudioMs: 500 });
      await callerAsks();
      await stage.settled(() => stage.decided.some(({ type }) => type === 'audio_ready'));
      relay.dieUnseen();
      await untilGivenUp();
      await stage.settled(() => elevenLabs.counters.completed === 1);
      await untilSaid();
      expect(notices()).toEqual(['tts_timed_out']);
      expect(relay.opened).toBe(2);
    } finally {
      await relay.close();
    }
  });
});
