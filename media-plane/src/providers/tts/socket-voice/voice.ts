import type { ProviderError } from '../../provider-error.js';
import type { SpeechChunk, Voice, VoiceOptions } from '../port.js';
import { SpeechLink } from './link.js';
import type { SpeechTarget } from './protocol.js';
import { type Links, SpokenTurn } from './turn.js';

interface SocketVoiceOptions {
  readonly provider: string;
  readonly target: SpeechTarget;
  readonly voice: Pick<VoiceOptions, 'format' | 'clock' | 'log'>;
  /** Creates the error of a voice that is to speak after it was closed. */
  readonly closedError: () => ProviderError;
}

/**
 * Speaks one call over one connection, opened ahead of the first turn and kept for all: a turn that is given up is
 * cancelled on it. A turn beside another gets a connection of its own.
 */
export class SocketVoice implements Voice {
  readonly #options: SocketVoiceOptions;
  readonly #turns = new Set<SpokenTurn>();
  readonly #links: Links;
  /** The connection that waits for a turn. */
  #idle: SpeechLink | undefined;
  #characters = 0;
  #closed = false;

  constructor(options: SocketVoiceOptions) {
    this.#options = options;
    this.#links = {
      take: () => this.#take(),
      giveBack: (link, hasFailed) => this.#giveBack(link, hasFailed),
    };
    this.#idle = this.#open();
  }

  get characters(): number {
    return this.#characters;
  }

  async *speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
    if (signal.aborted) return;
    if (this.#closed) throw this.#options.closedError();
    const { target, voice } = this.#options;
    const turn = new SpokenTurn(this.#links, { from: target.sends, to: voice.format });
    this.#turns.add(turn);
    const onAbort = () => turn.cut();
    signal.addEventListener('abort', onAbort, { once: true });
    const iterator = sentences[Symbol.asyncIterator]();
    void this.#feed(turn, iterator);
    try {
      yield* turn.chunks;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#turns.delete(turn);
      turn.cut();
      iterator.return?.().catch(() => {});
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const turn of this.#turns) turn.cut();
    this.#idle?.close();
    this.#idle = undefined;
  }

  async #feed(turn: SpokenTurn, sentences: AsyncIterator<string>): Promise<void> {
    try {
      for (let next = await sentences.next(); !next.done && !turn.over; next = await sentences.next()) {
        const sentence = next.value.trim();
        if (sentence === '') continue;
        this.#characters += sentence.length;
        turn.say(sentence);
      }
      turn.endOfText();
    } catch (error) {
      turn.fail(error);
    }
  }

  #open(): SpeechLink {
    const { provider, target, voice } = this.#options;
    return new SpeechLink({ provider, target, clock: voice.clock, log: voice.log });
  }

  #take(): { link: SpeechLink; isWarm: boolean } {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle?.isUsable) return { link: idle, isWarm: true };
    idle?.close();
    return { link: this.#open(), isWarm: false };
  }

  #giveBack(link: SpeechLink, hasFailed: boolean): void {
    if (this.#closed || this.#idle !== undefined || !link.isUsable) link.close();
    else this.#idle = link;
    // The next turn finds one that is open already.
    if (!this.#closed && !hasFailed) this.#idle ??= this.#open();
  }
}
