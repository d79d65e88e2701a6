import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DeepgramEmulator, startDeepgramEmulator } from '../../../loadtest/emulators/deepgram/server.js';
import {
  type OpenAiTranscriptionEmulator,
  startOpenAiTranscriptionEmulator,
} from '../../../loadtest/emulators/openai-transcription/server.js';
import { framesOf, syntheticPhrase } from '../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { testCallPlan } from '../testing/call-plan.js';
import { ScriptedLanguageModel, scriptedVoice } from '../testing/scripted-providers.js';
import { EmulatedStage } from './testing/emulated-stage.js';

/** 2.9 s: long enough to find out that a recogniser is mute. */
const PHRASE = syntheticPhrase('Please tell me when you are open on Sundays, thank you');
const WORD = syntheticPhrase('Yes.');
const QUESTION = syntheticPhrase('And on Sundays?');
const ANSWER = 'From nine to five.';

/** Calls whose recogniser fails, with another one to fall back on and without one. */
describe('a call whose recogniser', () => {
  let deepgram: DeepgramEmulator;
  let stage: EmulatedStage;

  beforeEach(async () => {
    deepgram = await startDeepgramEmulator({
      phrasebook: [PHRASE, WORD, QUESTION],
      apiKeys: ['key'],
      delays: { speechStartedDelayMs: 0, interimDelayMs: 0, finalDelayMs: 0 },
    });
  });

  afterEach(async () => {
    await stage.close();
    await deepgram.close();
  });

  const choice = (model: string) => ({
    provider: model.startsWith('gpt-') ? 'openai' : 'deepgram',
    model,
    params: {},
  });

  function begin(
    first: string,
    fallback?: string,
    openai = { api_key: 'key', base_url: 'http://127.0.0.1:1' },
  ): void {
    const local = { provider: 'local', model: '', params: {} };
    const fallbacks: AgentSnapshot['fallback_voice_config'] = fallback ? { stt: choice(fallback) } : {};
    const plan = testCallPlan(
      { credentials: { deepgram: { api_key: 'key', base_url: deepgram.url }, openai } },
      {
        first_message: '',
        voice_config: { stt: choice(first), llm: local, tts: local },
        fallback_voice_config: fallbacks,
      },
    );
    const languageModel = new ScriptedLanguageModel([ANSWER, ANSWER, ANSWER]);
    stage = new EmulatedStage({
      plan,
      scripted: () => ({ languageModel, textToSpeech: scriptedVoice() }),
    });
  }

  /** Lets the caller's line play frames, and the network answer within each: a refusal is known when it was made. */
  async function callerPlaysInStep(frames: readonly Uint8Array[]): Promise<void> {
    stage.recogniser.speechStarted();
    for (const frame of frames) {
      await stage.callerSends(frame);
      await (await fetch(deepgram.url)).text();
    }
    stage.recogniser.speechStopped();
  }

  /** Lets time pass until the agent has answered. */
  async function untilAnswered(text = PHRASE.text): Promise<void> {
    for (let waited = 0; waited < 10_000 && !stage.turns().includes(`agent: ${ANSWER}`); waited += 20) {
      await stage.pass(20);
    }
    expect(stage.turns()).toEqual([`caller: ${text}`, `agent: ${ANSWER}`]);
  }

  const endsOfTurn = () =>
    stage.decided.flatMap((event) => (event.type === 'end_of_turn' ? [event.source] : []));

  const notices = () => stage.notices().filter((code) => code !== 'budget_passed');

  describe('has a fallback', () => {
    it('hangs at connect: the other hears all that was said since', async () => {
      deepgram.faults.hangNext = 1;
      begin('nova-3', 'flux');
      await stage.callerPlays(framesOf(PHRASE.audio));
      await stage.settled(() => deepgram.counters.open === 1);
      await untilAnswered();
      expect(notices()).toEqual(['provider_replaced']);
    });

    it('accepts and stays silent: after two seconds of speech the other hears all of it', async () => {
      deepgram.faults.muteNext = 1;
      begin('nova-3', 'flux');
      await stage.settled(() => deepgram.counters.open === 1);
      await stage.callerPlays(framesOf(PHRASE.audio));
      await stage.settled(() => deepgram.counters.connections === 2);
      await untilAnswered();
      expect(notices()).toEqual(['provider_replaced']);
    });

    it('is refused for good: the other is asked at once', async () => {
      Object.assign(deepgram.faults, { refuseNext: 1, refuseStatus: 401 });
      begin('nova-3', 'flux');
      await stage.settled(() => deepgram.counters.open === 1);
      await stage.callerPlays(framesOf(PHRASE.audio));
      await untilAnswered();
      expect(notices()).toEqual(['provider_replaced']);
    });

    it.each([
      ['a key', { api_key: 'key\u200b', base_url: 'http://127.0.0.1:1/v1' }],
      ['an address', { api_key: 'key', base_url: 'http://127.0.0.1:1/v1#top' }],
    ])('with %s that no request can carry: this call ends, and no other', async (_, openai) => {
      Object.assign(deepgram.faults, { refuseNext: 1, refuseStatus: 401 });
      begin('nova-3', 'gpt-live-transcribe', openai);
      await stage.settled(() => deepgram.counters.refused === 1);
      for (let waited = 0; waited < 2000 && !stage.over; waited += 20) await stage.pass(20);
      expect(stage.of('ended')).toMatchObject([
        { end_reason: 'provider_failed', error_code: 'stt_bad_request' },
      ]);
      expect(notices()).toEqual(['provider_replaced']);
    });

    describe('and does not transcribe what it heard', () => {
      let openai: OpenAiTranscriptionEmulator;

      beforeEach(async () => {
        openai = await startOpenAiTranscriptionEmulator({ phrasebook: [WORD, QUESTION], apiKeys: ['key'] });
      });
      afterEach(() => openai.close());

      it.each([
        ['for want of quota: the other hears all of it', 'insufficient_quota', [WORD]],
        ['twice in a row: the other hears both', 'server_error', [WORD, QUESTION]],
      ])('%s', async (_, code, said) => {
        Object.assign(openai.faults, { untranscribedNext: said.length, untranscribedCode: code });
        begin('gpt-4o-transcribe', 'nova-3', { api_key: 'key', base_url: openai.baseUrl });
        await stage.settled(() => openai.counters.open === 1);
        for (const [number, { audio }] of said.entries()) {
          await callerPlaysInStep(framesOf(audio));
          await stage.pass(600);
          await stage.settled(() => openai.faults.untranscribedNext === said.length - number - 1);
        }
        await stage.settled(() => deepgram.counters.open === 1);
        await untilAnswered(said.map(({ text }) => text).join(' '));
        expect(notices()).toEqual(['provider_replaced']);
      });
    });
  });

  describe('has no fallback', () => {
    it('does not transcribe noises: the call goes on, and hears the next words', async () => {
      const openai = await startOpenAiTranscriptionEmulator({
        phrasebook: [WORD, QUESTION],
        apiKeys: ['key'],
      });
      try {
        Object.assign(openai.faults, { untranscribedNext: 20, untranscribedCode: 'audio_unintelligible' });
        begin('gpt-4o-transcribe', undefined, { api_key: 'key', base_url: openai.baseUrl });
        await stage.settled(() => openai.counters.open === 1);
        for (let left = 19; left >= 0; left--) {
          await callerPlaysInStep(framesOf(WORD.audio));
          await stage.pass(600);
          await stage.settled(() => openai.faults.untranscribedNext === left || stage.over);
        }
        await callerPlaysInStep(framesOf(QUESTION.audio));
        await untilAnswered(QUESTION.text);
        expect(notices()).toEqual([]);
      } finally {
        await openai.close();
      }
    });

    it.each<[number, string[]]>([
      [3, []],
      [6, ['provider_retried']],
    ])('is down (500) for a moment, %d times: no word of it is lost', async (refuseNext, expected) => {
      Object.assign(deepgram.faults, { refuseNext, refuseStatus: 500 });
      begin('nova-3');
      await callerPlaysInStep(framesOf(PHRASE.audio));
      await stage.settled(() => deepgram.counters.open === 1);
      await untilAnswered();
      expect(deepgram.counters.refused).toBe(refuseNext);
      expect(notices()).toEqual(expected);
    });

    it.each([
      ['hangs at connect', { hangNext: 1 }],
      ['accepts and stays silent', { muteNext: 1 }],
    ])('%s: a new session hears all that was said', async (_, faults) => {
      Object.assign(deepgram.faults, faults);
      begin('nova-3');
      if ('muteNext' in faults) await stage.settled(() => deepgram.counters.open === 1);
      await stage.callerPlays(framesOf(PHRASE.audio));
      await stage.settled(() => deepgram.counters.connections === ('muteNext' in faults ? 2 : 1));
      await untilAnswered();
      expect(notices()).toEqual(['provider_retried']);
    });

    it.each([
      ['is torn in the middle of speech', { dropNext: 1, dropAfterAudioMs: 1000 }],
      ['sends garbage', { garbageNext: 2 }],
      ['has too many requests once', { refuseNext: 1, refuseStatus: 429 }],
    ])('%s: no word is lost', async (_, faults) => {
      Object.assign(deepgram.faults, faults);
      begin('nova-3');
      if (!('refuseNext' in faults)) await stage.settled(() => deepgram.counters.open === 1);
      await stage.callerPlays(framesOf(PHRASE.audio));
      await untilAnswered();
      expect(notices()).toEqual([]);
    });

    it('has died unseen: a single word is enough to find that out, and is not lost', async () => {
      begin('nova-3');
      await stage.settled(() => deepgram.counters.open === 1);
      await stage.pass(200);
      deepgram.freezeConnections();
      await stage.callerPlays(framesOf(WORD.audio));
      await stage.pass(2000);
      await stage.settled(() => deepgram.counters.connections === 2);
      await untilAnswered(WORD.text);
      expect(notices()).toEqual([]);
    });

    it('hangs for longer than the audio is kept: the call ends, and says what was lost', async () => {
      deepgram.faults.hangNext = Number.POSITIVE_INFINITY;
      begin('nova-3');
      await stage.callerPlays(framesOf(PHRASE.audio));
      await stage.pass(8000);
      expect(stage.of('ended')).toMatchObject([
        { end_reason: 'provider_failed', error_code: 'stt_timed_out' },
      ]);
      expect(notices().at(-1)).toBe('speech_lost');
    });
  });

  describe('was replaced by another', () => {
    it.each([
      ['nova-3', 'flux', 'flux'],
      ['flux', 'nova-3', 'stt'],
    ])('%s by %s: the end of a turn means what the latter means by it', async (first, fallback, source) => {
      Object.assign(deepgram.faults, { refuseNext: 1, refuseStatus: 401 });
      begin(first, fallback);
      await stage.settled(() => deepgram.counters.open === 1);
      await stage.callerPlays(framesOf(PHRASE.audio));
      await untilAnswered();
      expect(new Set(endsOfTurn())).toEqual(new Set([source]));
    });
  });
});
