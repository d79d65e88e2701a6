import type { Clock } from '@voice/shared/clock/clock';
import type { mongo } from 'mongoose';
import { rowsOf } from '../../platform/store/rows-of.js';
import { mayJudge, observe } from '../../workers/observation.js';
import type { SweepDocument, SweepModel } from '../../workers/sweep-model.js';
import type { WorkerCalls } from '../worker-events/worker-calls.js';

const NAME = 'lost-workers';
/** How often it is asked for calls of workers that nobody knows, in ms: a worker is forgotten once in a while. */
const UNKNOWN_EVERY_MS = 10_000;

interface LostWorkerSweepOptions {
  readonly sweeps: SweepModel;
  readonly workerCalls: WorkerCalls;
  readonly clock: Clock;
}

/** Looks for workers that have fallen silent, and ends their calls; but only while it has listened itself. */
export class LostWorkerSweep {
  readonly #options: LostWorkerSweepOptions;
  /** The driver itself: this runs every two seconds for ever, and mongoose's query costs as much again. */
  readonly #sweeps: mongo.Collection<SweepDocument>;
  /** By the monotonic clock, ms. */
  #firstLookAt: number | undefined;
  #unknownAt: number | undefined;

  constructor(options: LostWorkerSweepOptions) {
    this.#options = options;
    this.#sweeps = rowsOf<SweepDocument>(options.sweeps);
  }

  async run(): Promise<void> {
    this.#firstLookAt ??= this.#options.clock.monotonic();
    const presentMs = this.#options.clock.monotonic() - this.#firstLookAt;
    const now = this.#options.clock.now();
    const before = await this.#sweeps.findOneAndUpdate(
      { _id: NAME },
      { $set: { last_look_at: new Date(now) }, $setOnInsert: { observing_since: new Date(now) } },
      { upsert: true, returnDocument: 'before' },
    );
    const observation = observe(
      before && {
        observingSince: before.observing_since.getTime(),
        lastLookAt: before.last_look_at.getTime(),
      },
      now,
    );
    if (before && observation.observingSince !== before.observing_since.getTime()) {
      await this.#options.sweeps.updateOne(
        { _id: NAME },
        { $set: { observing_since: new Date(observation.observingSince) } },
      );
    }
    if (!mayJudge(observation, presentMs)) return;
    await this.#options.workerCalls.loseSilentWorkers();
    if (this.#options.clock.monotonic() - (this.#unknownAt ?? -UNKNOWN_EVERY_MS) < UNKNOWN_EVERY_MS) return;
    this.#unknownAt = this.#options.clock.monotonic();
    await this.#options.workerCalls.loseCallsOfUnknownWorkers();
  }
}
