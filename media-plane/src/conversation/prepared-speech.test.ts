import { PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import type { SpeechChunk, Voice } from '../providers/tts/port.js';
import { voiceOptions } from '../providers/tts/testing/voice-options.js';
import { TurnCut } from '../providers/usage/turn-cut.js';
import { UsageMeter } from '../providers/usage/usage-meter.js';
import { PreparedSpeech } from './prepared-speech.js';
import { SpeechCache, VoiceCache, type VoiceCacheOptions } from './speech-cache.js';

/** A voice that makes one chunk a word, and keeps what it was asked for. */
function voiceOf(fails = false) {
  const asked: string[] = [];
  const voice: Voice = {
    get characters() {
      return asked.join('').length;
    },
    close: () => {},
    async *speak(sentences, signal) {
      for await (const sentence of sentences) {
        asked.push(sentence);
        if (fails) throw new Error('no voice');
        for (const word of sentence.split(' ')) {
          if (signal.aborted) return;
          yield { audio: Buffer.from(word) };
        }
      }
    },
  };
  return { voice, asked };
}

async function* nothing(): AsyncGenerator<string> {}

async function said(voice: Pick<Voice, 'speak'>, signal = new AbortController().signal): Promise<string> {
  const chunks: SpeechChunk[] = [];
  for await (const chunk of voice.speak(nothing(), signal)) chunks.push(chunk);
  return chunks.map(({ audio }) => Buffer.from(audio).toString()).join(' ');
}

describe('speech that is prepared', () => {
  it('is said without asking the voice again, once', async () => {
    const { voice, asked } = voiceOf();
    const prepared = new PreparedSpeech(voice);
    prepared.add('Hello there caller');
    const taken = prepared.take('Hello there caller');
    expect(await said(taken!)).toBe('Hello there caller');
    expect(asked).toEqual(['Hello there caller']);
    expect(prepared.take('Hello there caller')).toBeUndefined();
  });

  it('is not there for other words, nor where it could not be made', async () => {
    const { voice } = voiceOf(true);
    const prepared = new PreparedSpeech(voice);
    prepared.add('Hello');
    expect(prepared.take('Goodbye')).toBeUndefined();
    await new Promise(setImmediate);
    expect(prepared.take('Hello')).toBeUndefined();
  });

  it('ends with its turn', async () => {
    const { voice } = voiceOf();
    const prepared = new PreparedSpeech(voice);
    prepared.add('Hello there');
    const turn = new AbortController();
    turn.abort();
    expect(await said(prepared.take('Hello there')!, turn.signal)).toBe('');
  });

  it('counts as used in vain what the turn that it was for was cut before', async () => {
    const meter = new UsageMeter();
    const choice = (provider: string) => ({ provider, model: '', params: {} });
    const mouth = meter.textToSpeech({ name: 'mouth', open: () => voiceOf().voice }, 'first');
    const options = { choice: choice('mouth'), credentials: {}, clock: new ScriptedClock() };
    const prepared = new PreparedSpeech(mouth.open(voiceOptions(options)));
    const text = 'Hello, this is the clinic, how can I help?';
    prepared.add(text);
    await new Promise(setImmediate);
    const turn = new AbortController();
    await said(prepared.take(text)!, turn.signal);
    turn.abort(new TurnCut('cut_speech', 10, text.length));
    const { wasted } = meter.usage({ stt: choice('ears'), llm: choice('mind'), tts: choice('mouth') });
    expect(wasted).toMatchObject([{ kind: 'tts', reason: 'cut_speech', characters: text.length - 10 }]);
  });
});

type Wanted = VoiceCacheOptions['voice'];

interface CallChange {
  readonly tenant?: string;
  readonly voice?: Partial<Wanted>;
  readonly fails?: boolean;
  readonly isReplaced?: boolean;
}

describe('first words that many calls begin with', () => {
  const choice = { provider: 'elevenlabs', model: '', params: { voice_id: 'v1' } };
  const wanted: Wanted = { choice, credentials: {}, format: PCMU_8K, language: 'en-US' };

  function callsOf({ maxBytes = 1000, clock = new ScriptedClock() } = {}) {
    const cache = new SpeechCache(clock, maxBytes);
    /** Prepares the text for a call with a voice of its own, as each call has one. */
    const call = (text: string, change: CallChange = {}) => {
      const { voice, asked } = voiceOf(change.fails);
      const own = new VoiceCache({
        cache,
        tenantId: change.tenant ?? 'tenant',
        voice: { ...wanted, ...change.voice },
      });
      const prepared = new PreparedSpeech(
        Object.assign(voice, { isReplaced: change.isReplaced ?? false }),
        own,
      );
      prepared.add(text);
      return { prepared, asked };
    };
    return { cache, call, clock };
  }
  const settle = () => new Promise(setImmediate);

  it('are synthesized once, and then taken from memory', async () => {
    const { cache, call } = callsOf();
    call('Hello there');
    await settle();
    const second = call('Hello there');
    await settle();
    expect(await said(second.prepared.take('Hello there')!)).toBe('Hello there');
    expect(second.asked).toEqual([]);
    expect([cache.hits, cache.misses, cache.bytes]).toEqual([1, 1, 10]);
  });

  it('are synthesized once for calls that are prepared at the same time', async () => {
    const { call } = callsOf();
    const calls = [call('Hello there'), call('Hello there'), call('Hello there')];
    await settle();
    expect(calls.map(({ asked }) => asked.length)).toEqual([1, 0, 0]);
    for (const { prepared } of calls) {
      expect(await said(prepared.take('Hello there')!)).toBe('Hello there');
    }
  });

  it('are asked for at once by a call that is answered while another has them made', async () => {
    const { call } = callsOf();
    call('Hello there');
    const second = call('Hello there');
    await Promise.resolve();
    expect(second.prepared.take('Hello there')).toBeUndefined();
  });

  it.each<[string, CallChange]>([
    ['voice', { voice: { choice: { ...choice, params: { voice_id: 'v2' } } } }],
    ['format', { voice: { format: PCMA_8K } }],
    ['language', { voice: { language: 'de-DE' } }],
    ['account', { voice: { credentials: { api_key: 'k' } } }],
    ['tenant', { tenant: 'other' }],
  ])('are not those of another %s', async (_, change) => {
    const { call } = callsOf();
    call('Hello there');
    await settle();
    const other = call('Hello there', change);
    await settle();
    expect(other.asked).toEqual(['Hello there']);
  });

  it.each<[string, CallChange]>([
    ['could not be made', { fails: true }],
    ['were said by a fallback', { isReplaced: true }],
  ])('are made anew where they %s', async (_, change) => {
    const { call } = callsOf();
    call('Hello there', change);
    await settle();
    const next = call('Hello there');
    await settle();
    expect(next.asked).toEqual(['Hello there']);
    expect(await said(next.prepared.take('Hello there')!)).toBe('Hello there');
  });

  it('are not kept of a call that was over before they were whole', async () => {
    const { cache, call } = callsOf();
    call('Hello there').prepared.close();
    await settle();
    expect([cache.hits, cache.bytes]).toEqual([0, 0]);
  });

  it('give way to others when memory is full, those first that were not said for longest', async () => {
    const { cache, call } = callsOf({ maxBytes: 12 });
    for (const text of ['first', 'other', 'first', 'third']) {
      call(text);
      await settle();
    }
    expect(cache.bytes).toBe(10);
    const again = ['first', 'other'].map((text) => call(text));
    await settle();
    expect(again.map(({ asked }) => asked.length)).toEqual([0, 1]);
  });

  it('are made anew after an hour', async () => {
    const { call, clock } = callsOf();
    call('Hello there');
    await settle();
    clock.advance(3_600_000);
    const later = call('Hello there');
    await settle();
    expect(later.asked).toEqual(['Hello there']);
  });
});
