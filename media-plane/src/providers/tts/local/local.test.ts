import { PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderError } from '../../provider-error.js';
import type { SpeechChunk } from '../port.js';
import { createLocalTextToSpeech } from './local.js';

async function* sentences(...texts: string[]) {
  yield* texts;
}

/** Gives one sentence and then nothing, as a slow model does. */
async function* stalled(text: string) {
  yield text;
  await new Promise(() => {});
}

async function collect(chunks: AsyncIterable<SpeechChunk>) {
  const audio: Uint8Array[] = [];
  const chars: { char: string; startMs: number; durationMs: number }[] = [];
  for await (const chunk of chunks) {
    audio.push(chunk.audio);
    const alignment = chunk.alignment;
    alignment?.chars.forEach((char, i) => {
      chars.push({ char, startMs: alignment.startMs[i]!, durationMs: alignment.durationMs[i]! });
    });
  }
  return { audio: Buffer.concat(audio), chars, text: chars.map((entry) => entry.char).join('') };
}

describe('the local text-to-speech', () => {
  let localVoice: LocalVoice;
  beforeAll(async () => {
    localVoice = startLocalVoice();
    await localVoice.ready();
  });
  afterAll(() => localVoice.close());

  const open = (params: Record<string, unknown> = {}) =>
    createLocalTextToSpeech({ localVoice }).open({
      choice: { provider: 'local', model: '', params },
      credentials: {},
      format: PCMU_8K,
      language: 'en-US',
      clock: systemClock,
      log: silentLog,
    });
  const never = () => new AbortController().signal;

  it('speaks sentence after sentence, aligned from the start of the turn', async () => {
    const voice = open();
    const { audio, chars, text } = await collect(
      voice.speak(sentences('Good morning.', 'How can I help you?'), never()),
    );
    expect(text).toBe('Good morning. How can I help you?');
    expect(voice.characters).toBe('Good morning.How can I help you?'.length);
    for (const [i, char] of chars.entries()) {
      if (i > 0) expect(char.startMs).toBeGreaterThanOrEqual(chars[i - 1]!.startMs);
      expect(char.startMs + char.durationMs).toBeLessThanOrEqual(audio.length / 8 + 20);
    }
    const first = await collect(voice.speak(sentences('Good morning.'), never()));
    expect(chars[text.indexOf('How')]!.startMs).toBeCloseTo(first.audio.length / 8, 0);
    expect(audio.subarray(0, first.audio.length).equals(first.audio)).toBe(true);
  });

  it('speaks faster, and with another voice, when the agent says so', async () => {
    const usual = await collect(open().speak(sentences('Good morning.'), never()));
    const fast = await collect(open({ rate: 260 }).speak(sentences('Good morning.'), never()));
    const other = await collect(open({ voice: '+f3' }).speak(sentences('Good morning.'), never()));
    expect(fast.audio.length).toBeLessThan(usual.audio.length * 0.85);
    expect(other.audio.equals(usual.audio)).toBe(false);
  });

  it('starts with the first sentence while the second is not there yet', async () => {
    const chunks = open().speak(stalled('Good morning.'), never())[Symbol.asyncIterator]();
    expect((await chunks.next()).value?.audio.length).toBeGreaterThan(0);
  });

  it('ends at once on abort, also while it waits for the next sentence', async () => {
    const abort = new AbortController();
    const reason = new Error('interrupted');
    const speaking = collect(open().speak(stalled('Good morning.'), abort.signal));
    setTimeout(() => abort.abort(reason), 150);
    await expect(speaking).rejects.toBe(reason);
  });

  it('ends what it speaks when it is closed', async () => {
    const voice = open();
    const speaking = collect(voice.speak(stalled('Good morning.'), never()));
    setTimeout(() => {
      voice.close();
      voice.close();
    }, 50);
    await expect(speaking).rejects.toBeInstanceOf(ProviderError);
  });

  it.each([
    ['an unknown voice', { voice: 'klingonisch' }],
    ['a rate that nobody understands', { rate: 4000 }],
  ])('refuses %s', async (_, params) => {
    await expect(collect(open(params).speak(sentences('Hello.'), never()))).rejects.toMatchObject({
      code: 'tts_bad_request',
      retryable: false,
    });
  });
});
