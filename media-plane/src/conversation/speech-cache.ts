import { createHash } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import type { SpeechChunk, VoiceOptions } from '../providers/tts/port.js';

/** Audio that is kept at most, in bytes: some 35 minutes of a phone line's. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What is older is made anew, in ms: a vendor's voice may have been changed. */
const MAX_AGE_MS = 3_600_000;

interface Kept {
  readonly chunks: readonly SpeechChunk[];
  readonly bytes: number;
  readonly at: number;
}

/**
 * Keeps the synthesized first words of calls, by voice, format and text, those that were said longest ago given up
 * first: a campaign pays for the same words once a worker, however few of its calls are answered. In memory alone.
 */
export class SpeechCache {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Kept>();
  /** What is being made for one call while others wait for it. */
  readonly #making = new Map<string, Promise<void>>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, maxBytes = MAX_BYTES) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many texts were there already. */
  get hits(): number {
    return this.#hits;
  }

  /** How many had to be made. */
  get misses(): number {
    return this.#misses;
  }

  /** Returns the text's audio, which nobody may change; undefined when it must be made. */
  find(key: string): readonly SpeechChunk[] | undefined {
    const kept = this.#kept.get(key);
    if (kept && this.#clock.monotonic() - kept.at < MAX_AGE_MS) {
      this.#hits++;
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.chunks;
    }
    if (kept) this.#forget(key, kept);
    return undefined;
  }

  /** Resolves when what another call is making is there, or has failed; undefined: none makes it. */
  making(key: string): Promise<void> | undefined {
    return this.#making.get(key);
  }

  /** Makes the audio of a text; `make` resolves with undefined where it is not to be kept. */
  async make(key: string, make: () => Promise<readonly SpeechChunk[] | undefined>): Promise<void> {
    this.#misses++;
    const made = make().then(
      (chunks) => chunks && this.#keep(key, chunks),
      () => {},
    );
    this.#making.set(key, made);
    await made;
    if (this.#making.get(key) === made) this.#making.delete(key);
  }

  #keep(key: string, chunks: readonly SpeechChunk[]): void {
    const bytes = chunks.reduce((sum, { audio }) => sum + audio.length, 0);
    const before = this.#kept.get(key);
    if (before) this.#forget(key, before);
    if (bytes === 0 || bytes > this.#maxBytes) return;
    this.#kept.set(key, { chunks, bytes, at: this.#clock.monotonic() });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(oldest, kept);
    }
  }

  #forget(key: string, { bytes }: Kept): void {
    this.#kept.delete(key);
    this.#bytes -= bytes;
  }
}

export interface VoiceCacheOptions {
  readonly cache: SpeechCache;
  readonly tenantId: string;
  readonly voice: Pick<VoiceOptions, 'choice' | 'credentials' | 'format' | 'language'>;
}

/** A cache for one voice: its texts are kept apart from those of other voices, formats, accounts and tenants. */
export class VoiceCache {
  readonly #cache: SpeechCache;
  readonly #voice: string;

  constructor({ cache, tenantId, voice }: VoiceCacheOptions) {
    const { choice, credentials, format, language } = voice;
    this.#cache = cache;
    this.#voice = JSON.stringify([tenantId, choice, credentials, format, language]);
  }

  find(text: string): readonly SpeechChunk[] | undefined {
    return this.#cache.find(this.#key(text));
  }

  making(text: string): Promise<void> | undefined {
    return this.#cache.making(this.#key(text));
  }

  make(text: string, make: () => Promise<readonly SpeechChunk[] | undefined>): Promise<void> {
    return this.#cache.make(this.#key(text), make);
  }

  /** Returns a digest: neither keys of accounts nor texts stay in memory for it. */
  #key(text: string): string {
    return createHash('sha256').update(this.#voice).update('\0').update(text).digest('base64');
  }
}
