/** One server-sent event as a client reads it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
  /** Monotonic ms. */
  readonly at: number;
}

/** Reads a stream of server-sent events until it ends or is closed. */
export class TestEventSource {
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  /** Resolves when the stream has ended, or was closed. */
  readonly ended: Promise<void>;
  readonly #abort: AbortController;

  private constructor(
    readonly response: Response,
    abort: AbortController,
  ) {
    this.#abort = abort;
    this.ended = this.#read().catch(() => {});
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestEventSource> {
    const abort = new AbortController();
    return new TestEventSource(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  of(event: string): Record<string, unknown>[] {
    return this.events.filter((received) => received.event === event).map(({ data }) => data);
  }

  close(): Promise<void> {
    this.#abort.abort();
    return this.ended;
  }

  async #read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        this.#take(text.slice(0, at).split('\n'));
        text = text.slice(at + 2);
      }
    }
  }

  #take(lines: readonly string[]): void {
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = field('data');
    if (data === undefined) this.comments.push(lines.join('\n'));
    else {
      this.events.push({
        event: field('event') ?? 'message',
        id: field('id'),
        data: JSON.parse(data) as Record<string, unknown>,
        at: performance.now(),
      });
    }
  }
}
