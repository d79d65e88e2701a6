import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { decodeSamples, sampleBytes } from '@voice/shared/audio/samples';
import type { SpeechAlignment, SpeechChunk, Voice } from '../providers/tts/port.js';
import type { TurnListener } from './port.js';

/** Kept before the first sound, so that it does not begin with a click, in ms. */
const KEPT_MS = 20;
/** Samples of a smaller amount are silence: -46 dB below full scale. */
const SILENCE = 164;
/** Decoded at a time, in samples. */
const SCAN = 160;
const NOTHING = new Uint8Array(0);

/**
 * Cuts the silence off the front of one turn's audio: voices begin with up to 100 ms of nothing, which the caller waits
 * for. Alignments are moved with the audio. After the first sound, audio passes untouched.
 */
export class LeadingSilence {
  readonly #format: AudioFormat;
  readonly #scan = new Int16Array(SCAN);
  /** The end of the silence so far. */
  #kept: Uint8Array = NOTHING;
  #droppedBytes = 0;
  #alignments: SpeechAlignment[] = [];
  #isAudible = false;

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  /** Returns how much was cut off, in ms; it is final with the first sound. */
  get trimmedMs(): number {
    return this.#droppedBytes / bytesPerMs(this.#format);
  }

  /** Takes the next of the audio; returns what of it is to be heard, undefined while that is nothing. */
  trim(chunk: SpeechChunk): SpeechChunk | undefined {
    if (this.#isAudible) {
      if (!chunk.alignment || this.#droppedBytes === 0) return chunk;
      return { audio: chunk.audio, alignment: this.#moved(chunk.alignment) };
    }
    if (chunk.alignment) this.#alignments.push(chunk.alignment);
    const sound = this.#firstSound(chunk.audio);
    this.#isAudible = sound >= 0;
    const silent = this.#isAudible ? sound : chunk.audio.length;
    this.#keep(chunk.audio.subarray(0, silent));
    return this.#isAudible ? this.#release(chunk.audio.subarray(silent)) : undefined;
  }

  /** Returns what was held back of audio that made no sound at all. */
  end(): SpeechChunk | undefined {
    if (this.#isAudible || (this.#kept.length === 0 && this.#alignments.length === 0)) return undefined;
    this.#isAudible = true;
    return this.#release(NOTHING);
  }

  /** Returns the byte at which sound begins, -1 where there is none. */
  #firstSound(audio: Uint8Array): number {
    const { encoding } = this.#format;
    const bytes = sampleBytes(encoding);
    for (let from = 0; from < audio.length; from += SCAN * bytes) {
      const part = audio.subarray(from, Math.min(audio.length, from + SCAN * bytes));
      const samples = decodeSamples(encoding, part, this.#scan);
      for (let i = 0; i < samples.length; i++) {
        if (Math.abs(samples[i]!) > SILENCE) return from + i * bytes;
      }
    }
    return -1;
  }

  #keep(silence: Uint8Array): void {
    const most = KEPT_MS * bytesPerMs(this.#format);
    const held = joined(this.#kept, silence);
    const cut = Math.max(0, held.length - most);
    this.#droppedBytes += cut;
    this.#kept = held.subarray(cut);
  }

  #release(sound: Uint8Array): SpeechChunk {
    const audio = joined(this.#kept, sound);
    const alignments = this.#alignments.map((alignment) => this.#moved(alignment));
    this.#kept = NOTHING;
    this.#alignments = [];
    if (alignments.length === 0) return { audio };
    const alignment = {
      chars: alignments.flatMap(({ chars }) => chars),
      startMs: alignments.flatMap(({ startMs }) => startMs),
      durationMs: alignments.flatMap(({ durationMs }) => durationMs),
    };
    return { audio, alignment };
  }

  #moved({ chars, startMs, durationMs }: SpeechAlignment): SpeechAlignment {
    const trimmed = this.trimmedMs;
    if (trimmed === 0) return { chars, startMs, durationMs };
    const starts = startMs.map((ms) => Math.max(0, ms - trimmed));
    // What began within the cut ends where it did.
    const durations = durationMs.map((ms, i) => Math.max(0, startMs[i]! + ms - trimmed - starts[i]!));
    return { chars, startMs: starts, durationMs: durations };
  }
}

/** Wraps a voice so that each of its turns begins with sound. */
export function withoutLeadingSilence(voice: Voice, format: AudioFormat): Voice {
  return {
    get isReplaced() {
      return voice.isReplaced ?? false;
    },
    get characters() {
      return voice.characters;
    },
    async *speak(sentences, signal): AsyncGenerator<SpeechChunk> {
      const silence = new LeadingSilence(format);
      for await (const chunk of voice.speak(sentences, signal)) {
        const heard = silence.trim(chunk);
        if (heard) yield heard;
      }
      const rest = silence.end();
      if (rest) yield rest;
    },
    close: () => voice.close(),
  };
}

/** Wraps a turn's listener so that what it hears begins with sound; `onAudioEnd` is to be called behind the last audio. */
export function trimmed(
  listener: TurnListener,
  silence: LeadingSilence,
): TurnListener & { readonly onAudioEnd: () => void } {
  const pass = (chunk: SpeechChunk | undefined) => chunk && listener.onAudio(chunk);
  return {
    ...listener,
    onAudio: (chunk) => pass(silence.trim(chunk)),
    onAudioEnd: () => void pass(silence.end()),
  };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
