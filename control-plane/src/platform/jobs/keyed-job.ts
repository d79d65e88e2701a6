import type { LogFields } from '@voice/shared/log/log';

/** What a run of a job may ask of the replica that runs it. */
export interface JobRun {
  /** Aborted when the replica stops, or has lost the job's lock: the run is to end. */
  readonly signal: AbortSignal;
  /** When the run was wanted, in epoch ms. */
  readonly dueAt: number;
  /** Resolves after `ms`; earlier when the job is wanted meanwhile, and when the run is to end. */
  rest(ms: number): Promise<void>;
}

/** Runs the job of a key. Returns when it is wanted next, in epoch ms; null when nothing is left to do. */
export type RunJob = (key: string, run: JobRun) => Promise<number | null>;

/** Keeps jobs and runs them. */
export interface JobScheduler {
  /** Wants the job to run at `at`, in epoch ms, or earlier if that was wanted before. */
  schedule(name: string, key: string, at: number): Promise<void>;
  /** Wants those jobs to run now that are not scheduled at all. */
  ensure(name: string, keys: readonly string[]): Promise<void>;
}

interface KeyedJobOptions {
  readonly name: string;
  readonly run: RunJob;
  /** Returns what the log says of a key, which itself may hold what no log may. */
  readonly fieldsOf: (key: string) => LogFields;
}

/**
 * A kind of job of which each key has one: one replica at a time runs it, and another one takes it over when that
 * replica dies. While it is not wanted it costs nothing.
 */
export class KeyedJob {
  readonly name: string;
  readonly run: RunJob;
  /** Returns what the log says of a key, which itself may hold what no log may. */
  readonly fieldsOf: (key: string) => LogFields;
  #scheduler: JobScheduler | undefined;

  constructor({ name, run, fieldsOf }: KeyedJobOptions) {
    this.name = name;
    this.run = run;
    this.fieldsOf = fieldsOf;
  }

  bind(scheduler: JobScheduler): void {
    this.#scheduler = scheduler;
  }

  /** Wants the job of `key` to run at `at`, in epoch ms, or earlier if that was wanted before. */
  schedule(key: string, at: number): Promise<void> {
    return this.#bound().schedule(this.name, key, at);
  }

  /** Wants the jobs of those keys to run now that are not scheduled at all. Idempotent. */
  ensure(keys: readonly string[]): Promise<void> {
    return this.#bound().ensure(this.name, keys);
  }

  #bound(): JobScheduler {
    if (!this.#scheduler) throw new Error(`no scheduler keeps the jobs "${this.name}"`);
    return this.#scheduler;
  }
}
