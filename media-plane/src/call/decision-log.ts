import type { Clock, Timer } from '@voice/shared/clock/clock';
import { untilNextStep } from '@voice/shared/clock/in-step';
import type { Disk } from '../disk/port.js';
import type { Effect } from './turn-taking/effects.js';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** Decisions are on their way to the disk no later than this, in ms: what a killed process may lose of the log. */
const FLUSH_MS = 1000;

export interface DecisionLogOptions {
  readonly path: string;
  readonly turnTaking: TurnTakingOptions;
  readonly clock: Clock;
  readonly disk: Disk;
}

/**
 * Writes a call's decision log: one JSON line with the options, then one a decision with the event that came in and the
 * effects that went out. `npm run replay` runs it through today's rules. The decisions of a second are written together,
 * and those of all calls at the same moment.
 */
export class DecisionLog {
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #file: Promise<number>;
  /** Ends with what is being written; rejected once something could not be. */
  #working: Promise<void>;
  #waiting = '';
  #timer: Timer | undefined;

  constructor({ path, turnTaking, clock, disk }: DecisionLogOptions) {
    this.#clock = clock;
    this.#disk = disk;
    this.#file = disk.open(path, 'w');
    this.#working = this.#file.then(() => {});
    // A full disk must not take the call with it; the log is then simply short.
    this.#working.catch(() => {});
    this.#append({ options: turnTaking });
  }

  record(event: TurnTakingEvent, effects: readonly Effect[]): void {
    this.#append({ event, effects });
  }

  /** Writes the rest, as far as it can be. Never rejects. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#flush();
    await this.#working.catch(() => {});
    await this.#file.then((file) => this.#disk.close(file)).catch(() => {});
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
    const lines = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#working = this.#working.then(async () => this.#disk.write(await this.#file, lines, null));
    this.#working.catch(() => {});
  }
}
