import type { SpeechChunk, Voice } from '../providers/tts/port.js';
import type { VoiceCache } from './speech-cache.js';

/** Texts that are prepared at most: the disclosure and the first message. */
const MOST_TEXTS = 2;
/** Characters of all of them at most, about a minute of speech: what waits for an answer is held in memory, and paid. */
const MOST_CHARACTERS = 1000;

interface Prepared {
  /** As it is written. */
  readonly text: string;
  readonly spoken: string;
  readonly chunks: SpeechChunk[];
  readonly controller: AbortController;
  /** Another call has it made. */
  isAwaited: boolean;
  done: boolean;
  error: unknown;
  wake: (() => void) | undefined;
}

/**
 * Synthesizes what the agent says first while the phone still rings, so that the first word is there at once; or takes
 * it from the cache, where the same words were said before.
 */
export class PreparedSpeech {
  readonly #voice: Voice;
  readonly #cache: VoiceCache | undefined;
  readonly #texts: Prepared[] = [];
  #characters = 0;
  /** One after another: what is said first is there first. */
  #work: Promise<void> = Promise.resolve();

  constructor(voice: Voice, cache?: VoiceCache) {
    this.#voice = voice;
    this.#cache = cache;
  }

  /**
   * Speaks the text into memory, behind those that were added before. A text that is too long is left to the call.
   * @param spoken what the voice is given for it
   */
  add(text: string, spoken = text.trim()): void {
    const trimmed = text.trim();
    if (spoken === '' || this.#texts.length >= MOST_TEXTS) return;
    if (this.#characters + spoken.length > MOST_CHARACTERS) return;
    this.#characters += spoken.length;
    const prepared: Prepared = {
      text: trimmed,
      spoken,
      chunks: [],
      controller: new AbortController(),
      isAwaited: false,
      done: false,
      error: undefined,
      wake: undefined,
    };
    this.#texts.push(prepared);
    this.#work = this.#work.then(() => this.#fill(prepared));
  }

  /**
   * Takes a voice that says the prepared text, once: what is synthesized at once, the rest as it comes. Undefined when
   * it was not prepared, or failed: then it is requested again.
   */
  take(text: string): Pick<Voice, 'speak'> | undefined {
    const index = this.#texts.findIndex((prepared) => prepared.text === text.trim());
    const [prepared] = index < 0 ? [] : this.#texts.splice(index, 1);
    if (!prepared || prepared.error !== undefined) return undefined;
    if (prepared.isAwaited) {
      // Nobody who has picked up waits for another call.
      prepared.controller.abort();
      return undefined;
    }
    return { speak: (_sentences, signal) => play(prepared, signal) };
  }

  close(): void {
    for (const { controller } of this.#texts.splice(0)) controller.abort();
  }

  async #fill(prepared: Prepared): Promise<void> {
    const cache = this.#cache;
    if (!cache) return this.#synthesize(prepared);
    const { spoken, controller } = prepared;
    const making = cache.making(spoken);
    if (making) {
      prepared.isAwaited = true;
      await making;
      prepared.isAwaited = false;
    }
    if (controller.signal.aborted) return;
    const cached = cache.find(spoken);
    if (cached) {
      prepared.chunks.push(...cached);
      prepared.done = true;
      prepared.wake?.();
      return;
    }
    await cache.make(spoken, async () => {
      await this.#synthesize(prepared);
      const isWhole = prepared.error === undefined && !controller.signal.aborted;
      return isWhole && !this.#voice.isReplaced ? prepared.chunks : undefined;
    });
  }

  async #synthesize(prepared: Prepared): Promise<void> {
    const { signal } = prepared.controller;
    try {
      for await (const chunk of this.#voice.speak(once(prepared.spoken), signal)) {
        prepared.chunks.push(chunk);
        prepared.wake?.();
      }
    } catch (error) {
      prepared.error = error;
    }
    prepared.done = true;
    prepared.wake?.();
  }
}

async function* play(prepared: Prepared, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
  // Up to the end of the turn, which comes later than the last chunk, and with its reason: by that is counted what was
  // synthesized in vain.
  const stop = () => {
    prepared.controller.abort(signal.reason);
    prepared.wake?.();
  };
  signal.addEventListener('abort', stop, { once: true });
  for (let next = 0; !signal.aborted; ) {
    const chunk = prepared.chunks[next];
    if (chunk) {
      next++;
      yield chunk;
    } else if (prepared.done) {
      if (prepared.error !== undefined) throw prepared.error;
      return;
    } else {
      await new Promise<void>((resolve) => {
        prepared.wake = resolve;
      });
    }
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
