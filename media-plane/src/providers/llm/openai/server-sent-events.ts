/** A longer line is none of a chat completion, in characters. */
const LONGEST_LINE = 1_000_000;

/**
 * Reads the data of server-sent events (WHATWG HTML, section 9.2) as their bytes come. Names, ids and comments mean
 * nothing in a chat completion and are left out.
 */
export class ServerSentEvents {
  readonly #decoder = new TextDecoder();
  /** A line whose end has not come. */
  #rest = '';
  #data: string[] = [];

  /**
   * Returns the data of the events that are whole now.
   * @throws SyntaxError for what is no such stream
   */
  push(bytes: Uint8Array): string[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const events: string[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = text.slice(from, end > from && text[end - 1] === '\r' ? end - 1 : end);
      from = end + 1;
      if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line === '' && this.#data.length > 0) events.push(this.#take());
    }
    this.#rest = text.slice(from);
    if (this.#rest.length > LONGEST_LINE) throw new SyntaxError('A line of the event stream has no end');
    return events;
  }

  #take(): string {
    const data = this.#data.length === 1 ? this.#data[0]! : this.#data.join('\n');
    this.#data = [];
    return data;
  }
}
