import type { Caption } from '@voice/shared/contracts/captions';

/** Where one listener's captions go. */
export interface CaptionListener {
  send(text: string): void;
  /** Ends the captions: the call is over. */
  end(): void;
}

/** What was published of one call's words, for those who listen and those who come later. */
export class CallCaptions {
  readonly #published: string[] = [];
  readonly #captions: Caption[] = [];
  readonly #listeners = new Set<CaptionListener>();
  #ended = false;

  publish(caption: Caption): void {
    const text = JSON.stringify(caption);
    this.#published.push(text);
    this.#captions.push(caption);
    for (const listener of this.#listeners) listener.send(text);
  }

  /** What was said, utterance by utterance; of one that was cut, the words that came to be said. */
  get spoken(): string[] {
    return this.#captions.flatMap((caption) => {
      if (caption.kind === 'cut') return [];
      const cut = this.#captions.find((other) => other.kind === 'cut' && other.id === caption.id);
      const endMs = cut?.kind === 'cut' ? cut.at_ms : Number.POSITIVE_INFINITY;
      const words = caption.words.filter(({ end_ms }) => end_ms <= endMs);
      return words.length === 0 ? [] : [words.map(({ text }) => text).join(' ')];
    });
  }

  /** Answers how to stop listening. */
  listen(listener: CaptionListener): () => void {
    for (const text of this.#published) listener.send(text);
    if (this.#ended) {
      listener.end();
      return () => {};
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    this.#ended = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}
