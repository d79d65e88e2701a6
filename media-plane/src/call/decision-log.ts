import { createWriteStream, type WriteStream } from 'node:fs';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { untilNextStep } from '@voice/shared/clock/in-step';
import type { Effect } from './turn-taking/effects.js';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** Decisions are on their way to the disk no later than this, in ms: what a killed process may lose of the log. */
const FLUSH_MS = 1000;

export interface DecisionLogOptions {
  readonly path: string;
  readonly turnTaking: TurnTakingOptions;
  readonly clock: Clock;
}

/**
 * Writes a call's decision log: one JSON line with the options, then one a decision with the event that came in and the
 * effects that went out. `npm run replay` runs it through today's rules. Each write wakes a thread of the process, so
 * the decisions of a second are written together, and those of all calls at the same moment.
 */
export class DecisionLog {
  readonly #clock: Clock;
  readonly #stream: WriteStream;
  #waiting = '';
  #timer: Timer | undefined;

  constructor({ path, turnTaking, clock }: DecisionLogOptions) {
    this.#clock = clock;
    this.#stream = createWriteStream(path, { flags: 'w', mode: 0o600 });
    // A full disk must not take the call with it; the log is then simply short.
    this.#stream.on('error', () => {});
    this.#append({ options: turnTaking });
  }

  record(event: TurnTakingEvent, effects: readonly Effect[]): void {
    this.#append({ event, effects });
  }

  close(): Promise<void> {
    this.#timer?.cancel();
    this.#flush();
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.end(() => resolve());
    });
  }

  #append(line: object): void {
    // At once: the reducer's state may be another by the time it is written.
    this.#waiting += `${JSON.stringify(line)}\n`;
    this.#timer ??= this.#clock.schedule(untilNextStep(this.#clock.monotonic(), FLUSH_MS), () =>
      this.#flush(),
    );
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#waiting === '') return;
    this.#stream.write(this.#waiting);
    this.#waiting = '';
  }
}
