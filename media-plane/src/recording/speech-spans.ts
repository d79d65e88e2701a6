/** A piece of a channel in which something is heard, in ms since the recording began. */
export interface SpeechSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Levels are kept of pieces this long, in ms: what is measured is not more exact. */
const STEP_MS = 10;
/** Silences within a word, in ms. */
const BRIDGE_MS = 100;
/** A shorter sound is a click, in ms. */
const LEAST_MS = 50;
/** The softest that a listener notices on a phone, and what nobody takes for noise, dB relative to full scale. */
const AUDIBLE_DB = -55;
const LOUD_DB = -32;
/** Speech stands out of the noise by this, in dB. */
const ABOVE_NOISE_DB = 14;
/** The share of the time that is surely no speech. */
const NOISE_SHARE = 0.2;
/** What is this far below the speaker's loudest of the last second is no longer speech, in dB: a listener hears no more. */
const FADE_DB = 30;
const LOUDNESS_MS = 1000;
/** Levels are kept as dB above this. */
const FLOOR_DB = -100;
const FULL_SCALE = 32_768;

/** Finds where somebody is heard in one channel of a recording, by its level alone: a byte for every 10 ms. */
export class SpeechSpans {
  readonly #stepSamples: number;
  #levels = new Uint8Array(6000);
  #steps = 0;
  #sum = 0;
  #count = 0;

  /** @param sampleRate Hz */
  constructor(sampleRate: number) {
    this.#stepSamples = (sampleRate * STEP_MS) / 1000;
  }

  push(samples: Int16Array): void {
    for (let i = 0; i < samples.length; i++) {
      this.#sum += samples[i]! * samples[i]!;
      if (++this.#count === this.#stepSamples) this.#endStep();
    }
  }

  /** Returns where the channel is louder than its noise. */
  spans(): SpeechSpan[] {
    const threshold = this.#threshold() - FLOOR_DB;
    const spans: SpeechSpan[] = [];
    let from = -1;
    let until = -1;
    let loud = 0;
    const end = () => {
      if (loud * STEP_MS >= LEAST_MS) {
        spans.push({ fromMs: from * STEP_MS, untilMs: this.#withoutFade(from, until) * STEP_MS });
      }
      from = -1;
      loud = 0;
    };
    for (let step = 0; step < this.#steps; step++) {
      if (this.#levels[step]! > threshold) {
        if (from >= 0 && (step - until) * STEP_MS > BRIDGE_MS) end();
        if (from < 0) from = step;
        until = step + 1;
        loud++;
      }
    }
    end();
    return spans;
  }

  /** Returns the step behind the last one that is not faded out. */
  #withoutFade(from: number, until: number): number {
    let loudest = 0;
    for (let step = Math.max(from, until - LOUDNESS_MS / STEP_MS); step < until; step++) {
      loudest = Math.max(loudest, this.#levels[step]!);
    }
    let end = until;
    while (end > from + 1 && this.#levels[end - 1]! < loudest - FADE_DB) end--;
    return end;
  }

  #endStep(): void {
    if (this.#steps === this.#levels.length) {
      const larger = new Uint8Array(this.#levels.length * 2);
      larger.set(this.#levels);
      this.#levels = larger;
    }
    const db =
      this.#sum === 0 ? FLOOR_DB : 10 * Math.log10(this.#sum / this.#count / (FULL_SCALE * FULL_SCALE));
    this.#levels[this.#steps++] = Math.max(0, Math.round(db - FLOOR_DB));
    this.#sum = 0;
    this.#count = 0;
  }

  #threshold(): number {
    const counts = new Uint32Array(101);
    for (let step = 0; step < this.#steps; step++) counts[this.#levels[step]!]!++;
    let noise = 0;
    for (let below = counts[0]!; noise < 100 && below < this.#steps * NOISE_SHARE; )
      below += counts[++noise]!;
    return Math.min(LOUD_DB, Math.max(AUDIBLE_DB, noise + FLOOR_DB + ABOVE_NOISE_DB));
  }
}
