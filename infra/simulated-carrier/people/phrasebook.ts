import { FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import { linesOf, type PersonScript } from './script.js';

/** Kept after the last word, so that its end is not clipped, in ms. */
const TAIL_MS = 60;

/** A line as it is said: its audio and its words, from the line's beginning. */
export interface Phrase {
  readonly voice: string;
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly startMs: number; readonly endMs: number }[];
  /** Mu-law at 8,000 Hz. */
  readonly audio: Uint8Array;
}

/** Everything that the simulated people can say, each line rendered once. */
export class Phrasebook {
  readonly #phrases = new Map<string, Phrase>();

  static async render(scripts: readonly PersonScript[], localVoice: LocalVoice): Promise<Phrasebook> {
    const phrasebook = new Phrasebook();
    for (const script of scripts) await phrasebook.learn(script, localVoice);
    return phrasebook;
  }

  /** Renders what it does not know yet of a script's lines. */
  async learn(script: PersonScript, localVoice: LocalVoice): Promise<void> {
    for (const text of linesOf(script)) {
      const key = keyOf(script.voice, text);
      if (!this.#phrases.has(key)) this.#phrases.set(key, await rendered(script, text, localVoice));
    }
  }

  phrase(voice: string, text: string): Phrase {
    const phrase = this.#phrases.get(keyOf(voice, text));
    if (!phrase) throw new Error(`the phrasebook has no "${text}" in the voice ${voice}`);
    return phrase;
  }

  /** Serialises for recognisers of exactly this audio: `GET /phrasebook`. */
  toJSON(): unknown {
    return [...this.#phrases.values()].map(({ voice, text, words, audio }) => ({
      voice,
      text,
      words: words.map((word) => ({ text: word.text, start_ms: word.startMs, end_ms: word.endMs })),
      audio: Buffer.from(audio).toString('base64'),
    }));
  }
}

function keyOf(voice: string, text: string): string {
  return `${voice}\n${text}`;
}

async function rendered(script: PersonScript, text: string, localVoice: LocalVoice): Promise<Phrase> {
  const chunks: Uint8Array[] = [];
  const words: Phrase['words'][number][] = [];
  for await (const chunk of localVoice.speak({ text, voice: script.voice, rate: script.rate })) {
    chunks.push(chunk.audio);
    words.push(...(chunk.words ?? []));
  }
  const audio = Buffer.concat(chunks);
  // Without espeak-ng's pause at the end, which would only delay the agent's answer.
  const endMs = (words.at(-1)?.endMs ?? audio.length / 8) + TAIL_MS;
  return { voice: script.voice, text, words, audio: audio.subarray(0, Math.ceil(endMs * 8)) };
}

/** Cuts audio into 20 ms frames from its first byte; the last one is filled up with silence. */
export function framesOf(audio: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < audio.length; at += FRAME_BYTES) {
    const frame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
    frame.set(audio.subarray(at, at + FRAME_BYTES));
    frames.push(frame);
  }
  return frames;
}

/** Builds a sine tone as mu-law frames would carry it: 16-bit samples at 8,000 Hz. */
export function tone(hz: number, ms: number, amplitude: number): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * n) / 8000)),
  );
}
