interface Item {
  answer: number | undefined;
  /** Its turn of the caller is over. */
  ended: boolean;
  text: string;
  final: boolean;
}

/** What a turn of the caller says, as far as it is known: the whole text of it so far. */
export interface MatchedTranscription {
  /** The agent's turn that answers it; undefined while the caller still speaks. */
  readonly answer: number | undefined;
  readonly text: string;
  readonly final: boolean;
}

/** Items whose text may still change. */
const MOST_ITEMS = 16;

/**
 * Finds which turn of the caller a transcription belongs to. A speech-to-speech provider names what it transcribes by
 * items of its own, in the order of the caller's turns: one while the caller speaks, another only after the answer has
 * begun. The call knows a turn of the caller by the agent's turn that answers it.
 */
export class TranscriptionMatcher {
  readonly #onKnown: (words: MatchedTranscription) => void;
  /** Turns of the caller that are over and have no item yet, oldest first. */
  readonly #turns: { answer: number | undefined }[] = [];
  readonly #items = new Map<string, Item>();
  /** The agent's turn that answers the turn which we ended last. */
  #lastCommitted: number | undefined;

  constructor(onKnown: (words: MatchedTranscription) => void) {
    this.#onKnown = onKnown;
  }

  /** Notes that we ended the caller's turn, and that `answer` answers it. */
  committed(answer: number): void {
    this.#lastCommitted = answer;
    const item = this.#endOldest();
    if (item) this.#answer(item, answer);
    else this.#turns.push({ answer });
  }

  /** Notes that the provider ended the caller's turn; `answered` will say which turn answers it. */
  ended(): void {
    if (!this.#endOldest()) this.#turns.push({ answer: undefined });
  }

  /** Notes that the agent's turn `answer` answers what has ended and was not answered yet. */
  answered(answer: number): void {
    for (const turn of this.#turns) turn.answer ??= answer;
    for (const item of this.#items.values()) {
      if (item.answer === undefined) this.#answer(item, answer);
    }
  }

  /**
   * Forgets what a session that is gone was to transcribe: its words will not come, and the next session may name its
   * items alike.
   * @param isHeardAgain the turn that we ended last is heard by the next session, which will transcribe it
   */
  sessionReplaced(isHeardAgain: boolean): void {
    this.#items.clear();
    this.#turns.length = 0;
    if (isHeardAgain && this.#lastCommitted !== undefined) this.#turns.push({ answer: this.#lastCommitted });
  }

  /** Ends the item that has words already although its turn was not over. */
  #endOldest(): Item | undefined {
    const item = [...this.#items.values()].find(({ ended }) => !ended);
    if (item) item.ended = true;
    return item;
  }

  #answer(item: Item, answer: number): void {
    item.ended = true;
    item.answer = answer;
    if (item.text !== '') this.#onKnown({ answer, text: item.text, final: item.final });
  }

  /** Forgets the oldest turn: a final may be corrected once more, but not for ever. */
  #forgetOldest(): void {
    if (this.#items.size <= MOST_ITEMS) return;
    const oldest = this.#items.keys().next().value;
    if (oldest !== undefined) this.#items.delete(oldest);
  }

  /** Takes the text of an item; a later one of the same item replaces it. */
  heard(id: string, text: string, final: boolean): void {
    let item = this.#items.get(id);
    if (!item) {
      const turn = this.#turns.shift();
      item = { answer: turn?.answer, ended: turn !== undefined, text: '', final: false };
      this.#items.set(id, item);
    }
    item.text = text;
    item.final = final;
    this.#forgetOldest();
    // Whose turn is not over may still go on.
    this.#onKnown({ answer: item.answer, text, final: final && item.answer !== undefined });
  }
}
