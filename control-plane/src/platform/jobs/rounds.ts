import type { Log } from '@voice/shared/log/log';

/** A job that every replica offers to run and one at a time runs. */
export interface RecurringJob {
  readonly name: string;
  /** From one run's start to the next, in ms; runs begin with the rounds, which are `ROUND_EVERY_MS` apart. */
  readonly everyMs: number;
  run(): Promise<void>;
}

/** How often a replica that has the lock looks which jobs are due, in ms. */
export const ROUND_EVERY_MS = 2000;
/** A run that takes longer is taken for hung: no round waits for it, and the job is run once more beside it. In ms. */
export const LONGEST_RUN_MS = 60_000;
/** How much too early a round may come for a job that is due with it, in ms: rounds are never quite on time. */
const EARLY_MS = 250;

/** Called when a run has ended. */
export type OnRun = (job: string, outcome: 'succeeded' | 'failed') => void;

interface State {
  readonly job: RecurringJob;
  dueAt: number;
  /** When each run that has not ended began. */
  readonly runs: number[];
}

interface RoundsOptions {
  readonly jobs: readonly RecurringJob[];
  readonly log: Log;
  readonly now: () => number;
  readonly onRun?: OnRun | undefined;
}

/**
 * Runs the jobs that are due, side by side: a long one delays no other. Times are monotonic, in ms.
 */
export class Rounds {
  readonly #states: readonly State[];
  readonly #options: RoundsOptions;
  #stopped = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#states = options.jobs.map((job) => ({ job, dueAt: 0, runs: [] }));
  }

  /** Starts no further runs; those under way go on. */
  stop(): void {
    this.#stopped = true;
  }

  /** Makes one round: resolves when nothing runs any more, but for what hangs. What becomes due meanwhile is run too. */
  async run(): Promise<void> {
    for (;;) {
      for (const state of this.#states) if (this.#isDue(state)) this.#start(state);
      if (!this.#states.some((state) => this.#isBusy(state))) return;
      await this.#somethingHappens();
    }
  }

  #isDue({ dueAt, runs }: State): boolean {
    const now = this.#options.now();
    if (this.#stopped || now < dueAt - EARLY_MS) return false;
    return runs.length === 0 || (runs.length === 1 && now - runs[0]! >= LONGEST_RUN_MS);
  }

  #isBusy({ runs }: State): boolean {
    return runs.some((began) => this.#options.now() - began < LONGEST_RUN_MS);
  }

  #start(state: State): void {
    const { job, runs } = state;
    const began = this.#options.now();
    state.dueAt = began + job.everyMs;
    runs.push(began);
    void job
      .run()
      .then(
        () => this.#options.onRun?.(job.name, 'succeeded'),
        // The next turn comes in seconds; a job must not stop because of one bad turn.
        (err: unknown) => {
          this.#options.onRun?.(job.name, 'failed');
          this.#options.log.error({ job: job.name, err }, 'job failed');
        },
      )
      .finally(() => {
        runs.splice(runs.indexOf(began), 1);
        this.#ended?.();
      });
  }

  #ended: (() => void) | undefined;

  /** Resolves when a run has ended, and at the latest when it is time to look again. */
  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ROUND_EVERY_MS);
      this.#ended = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
