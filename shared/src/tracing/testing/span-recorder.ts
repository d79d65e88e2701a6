import type { Span, Tracer } from '../tracer.js';

/** Keeps spans in memory. */
export class SpanRecorder implements Tracer {
  readonly isOn = true;
  readonly counts = { exported: 0, dropped: 0 };
  readonly spans: Span[] = [];
  readonly includesContent: boolean;

  constructor(includesContent = false) {
    this.includesContent = includesContent;
  }

  record(span: Span): void {
    this.spans.push(span);
  }

  /** Returns the first span of a name; throws where there is none. */
  find(name: string): Span {
    const found = this.spans.find((span) => span.name === name);
    if (!found) throw new Error(`no span ${name} among ${this.spans.map((span) => span.name).join(', ')}`);
    return found;
  }

  async close(): Promise<void> {}
}
