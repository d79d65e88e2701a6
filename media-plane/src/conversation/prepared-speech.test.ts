import { describe, expect, it } from 'vitest';
import type { SpeechChunk, Voice } from '../providers/tts/port.js';
import { PreparedSpeech } from './prepared-speech.js';

/** A voice that makes one chunk a word, and keeps what it was asked for. */
function voiceOf(fails = false) {
  const asked: string[] = [];
  const voice: Voice = {
    characters: 0,
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
});
