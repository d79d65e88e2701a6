import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Candidate } from './job-rows.js';

/** For how long others leave a job to the replica that ran it last, in ms. */
export const STAND_BACK_MS = 250;

/**
 * Jobs that fall due within so long of each other are tried together, in ms: locking ten at a time costs what locking
 * one does, and so does each command of theirs that is gathered. One that falls due alone does not wait.
 */
export const TOGETHER_MS = 50;

/** What of a job decides when this replica tries to lock it. */
interface Upcoming {
  readonly name: string;
  /** Epoch ms. */
  readonly dueAt: number;
  /** Epoch ms. */
  readonly tryAt: number;
}

interface JobAgendaOptions {
  readonly clock: Clock;
  readonly onDue: (names: ReadonlySet<string>) => void;
}

/** The jobs that fall due within the next moments, each of which is tried at its time and not at the next poll. */
export class JobAgenda {
  readonly #options: JobAgendaOptions;
  readonly #upcoming = new Map<string, Upcoming>();
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** By the monotonic clock, in ms. */
  #firedAt = Number.NEGATIVE_INFINITY;

  /** `onDue` is given the names of the jobs that have fallen due. */
  constructor(options: JobAgendaOptions) {
    this.#options = options;
  }

  /** Notes that the job is due at `dueAt`, in epoch ms; later where it is another replica's. */
  note(job: Candidate & { readonly name: string }, isAnothers = false): void {
    const tryAt = job.dueAt + (isAnothers ? STAND_BACK_MS : 0);
    const known = this.#upcoming.get(job.id);
    if (known && known.tryAt <= tryAt) return;
    this.#upcoming.set(job.id, { name: job.name, dueAt: job.dueAt, tryAt });
    this.#arm(tryAt);
  }

  /** Takes out up to `limit` jobs whose time has come. */
  takeDue(limit: number): Candidate[] {
    const now = this.#options.clock.now();
    const due: Candidate[] = [];
    for (const [id, { dueAt, tryAt }] of this.#upcoming) {
      if (due.length === limit) break;
      if (tryAt > now) continue;
      due.push({ id, dueAt });
      this.#upcoming.delete(id);
    }
    return due;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#upcoming.clear();
  }

  #arm(dueAt: number): void {
    const restMs = this.#firedAt + TOGETHER_MS - this.#options.clock.monotonic();
    const at = Math.max(dueAt, this.#options.clock.now() + restMs);
    if (at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#options.clock.schedule(Math.max(0, at - this.#options.clock.now()), () =>
      this.#fire(),
    );
  }

  #fire(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#options.clock.now();
    this.#firedAt = this.#options.clock.monotonic();
    const names = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const { name, tryAt } of this.#upcoming.values()) {
      if (tryAt <= now) names.add(name);
      else next = Math.min(next, tryAt);
    }
    if (Number.isFinite(next)) this.#arm(next);
    if (names.size > 0) this.#options.onDue(names);
  }
}
