import { PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { callUsage } from '@voice/shared/contracts/call-events';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { LanguageModel } from '../llm/port.js';
import type { SpeechToText } from '../stt/port.js';
import type { TextToSpeech } from '../tts/port.js';
import { UsageMeter } from './usage-meter.js';

const choice = (provider: string, model = '') => ({ provider, model, params: {} });
const FIRST = { stt: choice('deepgram'), llm: choice('openai'), tts: choice('elevenlabs') };
const signal = new AbortController().signal;
const common = { credentials: {}, format: PCMU_8K, language: 'en-US', clock: systemClock, log: silentLog };

const model = (name: string, defaultModel: string): LanguageModel => ({
  name,
  defaultModel,
  async *generate() {
    yield { type: 'text', delta: 'Hello.' };
    yield { type: 'usage', inputTokens: 100, outputTokens: 7 };
  },
});
/** Hears 20 ms a frame. */
const recogniser = (name: string): SpeechToText => ({
  name,
  open() {
    let audioMs = 0;
    return {
      get audioMs() {
        return audioMs;
      },
      write() {
        audioMs += 20;
      },
      voiceActivity() {},
      finalize() {},
      close() {},
    };
  },
});
const mouth = (name: string, audible: boolean): TextToSpeech => ({
  name,
  open() {
    let characters = 0;
    return {
      get characters() {
        return characters;
      },
      async *speak(sentences) {
        for await (const sentence of sentences) {
          characters += sentence.length;
          yield { audio: new Uint8Array(audible ? 160 : 0) };
        }
      },
      close() {},
    };
  },
});

async function ask(model: LanguageModel, named = '') {
  const request = { choice: choice(model.name, named), credentials: {}, messages: [], tools: [] };
  for await (const _ of model.generate(request, signal));
}
function listen(stt: SpeechToText, frames: number) {
  const session = stt.open({
    ...common,
    choice: choice(stt.name),
    format: PCMU_8K,
    endpointingMs: 0,
    onEvent: () => {},
  });
  for (let i = 0; i < frames; i++) session.write(new Uint8Array(160));
  return session;
}
async function speak(tts: TextToSpeech, text: string) {
  const voice = tts.open({ ...common, choice: choice(tts.name) });
  async function* sentences() {
    yield text;
  }
  for await (const _ of voice.speak(sentences(), signal));
}

describe('what a call uses', () => {
  it('is nothing before anything happened, under the names of the first choices', () => {
    expect(new UsageMeter().usage(FIRST)).toEqual({
      stt: { provider: 'deepgram', model: '', audio_ms: 0 },
      llm: { provider: 'openai', model: '', input_tokens: 0, output_tokens: 0 },
      tts: { provider: 'elevenlabs', model: '', characters: 0 },
      segments: [],
    });
  });

  it('is reported by provider, model and role; the totals sum all of it', async () => {
    const meter = new UsageMeter();
    const first = meter.languageModel(model('openai', 'gpt-4.1-mini'), 'first');
    await ask(first);
    await ask(first, 'gpt-4.1-mini');
    await ask(first, 'gpt-4.1');
    await ask(meter.languageModel(model('openai', 'gpt-4.1-mini'), 'fallback'));
    listen(meter.speechToText(recogniser('deepgram'), 'first'), 10);
    const second = listen(meter.speechToText(recogniser('local'), 'fallback'), 5);
    await speak(meter.textToSpeech(mouth('local', true), 'fallback'), 'Good day.');
    const llm = { kind: 'llm', provider: 'openai', fallback: false };
    const usage = meter.usage(FIRST);
    expect(usage.segments).toEqual([
      { ...llm, model: 'gpt-4.1-mini', input_tokens: 200, output_tokens: 14 },
      { ...llm, model: 'gpt-4.1', input_tokens: 100, output_tokens: 7 },
      { ...llm, model: 'gpt-4.1-mini', fallback: true, input_tokens: 100, output_tokens: 7 },
      { kind: 'stt', provider: 'deepgram', model: '', fallback: false, audio_ms: 200 },
      { kind: 'stt', provider: 'local', model: '', fallback: true, audio_ms: 100 },
      { kind: 'tts', provider: 'local', model: '', fallback: true, characters: 9 },
    ]);
    expect(usage).toMatchObject({
      stt: { provider: 'deepgram', audio_ms: 300 },
      llm: { provider: 'openai', input_tokens: 400, output_tokens: 28 },
      tts: { provider: 'elevenlabs', characters: 9 },
    });
    expect(callUsage.parse(usage)).toEqual(usage);
    second.write(new Uint8Array(160));
    expect(meter.usage(FIRST).stt.audio_ms).toBe(320);
  });

  it.each([-1_000_000, 0.5, 1e308, Number.NaN, '7'])(
    'stays what the end of a call takes where a server counts %j tokens',
    async (said) => {
      const lying: LanguageModel = {
        ...model('openai', 'own'),
        async *generate() {
          yield { type: 'usage', inputTokens: said as number, outputTokens: said as number };
          yield { type: 'usage', inputTokens: said as number, outputTokens: 7 };
        },
      };
      const meter = new UsageMeter();
      await ask(meter.languageModel(lying, 'first'));
      listen(meter.speechToText(recogniser('deepgram'), 'first'), 10);
      const usage: unknown = JSON.parse(JSON.stringify(meter.usage(FIRST)));
      expect(callUsage.parse(usage)).toMatchObject({ stt: { audio_ms: 200 }, llm: { output_tokens: 7 } });
    },
  );

  it('is nothing of a voice that was given text and never made a sound', async () => {
    const meter = new UsageMeter();
    await speak(meter.textToSpeech(mouth('elevenlabs', false), 'first'), 'Good day.');
    expect(meter.usage(FIRST).segments).toEqual([]);
  });
});
