import { createWriteStream, type WriteStream } from 'node:fs';
import type { Effect } from './turn-taking/effects.js';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/**
 * Writes a call's decision log: one JSON line with the options, then one a decision with the event that came in and the
 * effects that went out. `npm run replay` runs it through today's rules.
 */
export class DecisionLog {
  readonly #stream: WriteStream;

  constructor(path: string, options: TurnTakingOptions) {
    this.#stream = createWriteStream(path, { flags: 'w', mode: 0o600 });
    // A full disk must not take the call with it; the log is then simply short.
    this.#stream.on('error', () => {});
    this.#stream.write(`${JSON.stringify({ options })}\n`);
  }

  record(event: TurnTakingEvent, effects: readonly Effect[]): void {
    this.#stream.write(`${JSON.stringify({ event, effects })}\n`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.end(() => resolve());
    });
  }
}
