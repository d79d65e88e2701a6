import type { UsageWaste } from '@voice/shared/contracts/call-events';
import type { SpeechChunk, Voice } from '../tts/port.js';
import { turnOf } from '../turn-signal.js';
import { TurnCut } from './turn-cut.js';

/** Counts what a voice is given turn by turn, and what of it nobody heard. */
export class SpokenCharacters {
  readonly #voice: Voice;
  readonly #wasted = new Map<UsageWaste['reason'], number>();
  #isAudible = false;

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  /** Returns the characters of a voice that has made a sound; one that never did refused what it was given. */
  get characters(): number {
    return this.#isAudible ? this.#voice.characters : 0;
  }

  /** Returns the characters of it that were spoken in vain. */
  get wasted(): ReadonlyMap<UsageWaste['reason'], number> {
    return this.#isAudible ? this.#wasted : new Map();
  }

  /** Returns the same voice, counted. */
  counted(): Voice {
    const voice = this.#voice;
    return {
      get characters() {
        return voice.characters;
      },
      speak: (sentences, signal) => this.#speak(sentences, signal),
      close: () => voice.close(),
    };
  }

  async *#speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
    let given = 0;
    async function* passed() {
      for await (const sentence of sentences) {
        given += sentence.length;
        yield sentence;
      }
    }
    const turn = turnOf(signal);
    const onCut = () => this.#cut(turn.reason, given);
    turn.addEventListener('abort', onCut, { once: true });
    for await (const chunk of this.#voice.speak(passed(), signal)) {
      if (chunk.audio.length > 0) this.#isAudible = true;
      yield chunk;
    }
  }

  #cut(cut: unknown, given: number): void {
    if (!(cut instanceof TurnCut)) return;
    const wasted = Math.round(given * cut.unheardShare);
    this.#wasted.set(cut.reason, (this.#wasted.get(cut.reason) ?? 0) + wasted);
  }
}
