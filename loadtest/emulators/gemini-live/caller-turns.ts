import type { PhraseRecogniser } from './phrase-recogniser.js';
import type { Setup } from './setup-message.js';

/** Defaults of the automatic detection; the service's own numbers are not published. */
const DEFAULT_PREFIX_MS = 20;
const DEFAULT_SILENCE_MS = 500;

export interface CallerTurnsOptions {
  readonly recogniser: Pick<PhraseRecogniser, 'push' | 'end'>;
  readonly detection: NonNullable<Setup['realtimeInputConfig']>['automaticActivityDetection'];
  onStart(): void;
  onWords(text: string): void;
  /** `words` is what was understood of the whole turn; empty for noise. */
  onEnd(words: string): void;
}

/** Cuts the caller's audio into turns: by the client's marks, or by sound and silence. */
export class CallerTurns {
  readonly #options: CallerTurnsOptions;
  readonly #automatic: boolean;
  readonly #prefixMs: number;
  readonly #silenceMs: number;
  #active = false;
  #words: string[] = [];
  #loudMs = 0;
  #quietMs = 0;
  #lastMs = 0;

  constructor(options: CallerTurnsOptions) {
    this.#options = options;
    this.#automatic = options.detection?.disabled !== true;
    this.#prefixMs = options.detection?.prefixPaddingMs ?? DEFAULT_PREFIX_MS;
    this.#silenceMs = options.detection?.silenceDurationMs ?? DEFAULT_SILENCE_MS;
  }

  get active(): boolean {
    return this.#active;
  }

  get automatic(): boolean {
    return this.#automatic;
  }

  audio(samples: Int16Array): void {
    // Without automatic detection audio outside of the marks is not part of any turn.
    if (!this.#automatic && !this.#active) return;
    for (const { atMs, loud, words } of this.#options.recogniser.push(samples)) {
      const stepMs = atMs - this.#lastMs;
      this.#lastMs = atMs;
      if (this.#automatic) this.#detect(loud, stepMs);
      this.#understood(words);
      if (this.#automatic && this.#active && this.#quietMs >= this.#silenceMs) this.end();
    }
  }

  start(): void {
    this.#active = true;
    this.#words = [];
    this.#quietMs = 0;
    this.#options.onStart();
  }

  end(): void {
    // The stream goes on under automatic detection; between marks it begins anew.
    if (!this.#automatic) {
      for (const { atMs, words } of this.#options.recogniser.end()) {
        this.#lastMs = atMs;
        this.#understood(words);
      }
    }
    this.#active = false;
    this.#loudMs = 0;
    this.#options.onEnd(this.#words.join(' '));
  }

  #detect(loud: boolean, stepMs: number): void {
    this.#loudMs = loud ? this.#loudMs + stepMs : 0;
    this.#quietMs = loud ? 0 : this.#quietMs + stepMs;
    if (!this.#active && this.#loudMs >= this.#prefixMs) this.start();
  }

  #understood(words: readonly string[]): void {
    if (words.length === 0 || !this.#active) return;
    const text = words.join(' ');
    this.#words.push(text);
    this.#options.onWords(text);
  }
}
