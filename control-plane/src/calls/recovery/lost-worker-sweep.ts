import type { Clock } from '@voice/shared/clock/clock';
import { mayJudge, observe } from '../../workers/observation.js';
import type { SweepDocument, SweepModel } from '../../workers/sweep-model.js';
import type { WorkerCalls } from '../worker-events/worker-calls.js';

const NAME = 'lost-workers';

/** Looks for workers that have fallen silent, and ends their calls; but only while it has listened itself. */
export class LostWorkerSweep {
  readonly #sweeps: SweepModel;
  readonly #workerCalls: WorkerCalls;
  readonly #clock: Clock;
  /** By the monotonic clock, ms. */
  #firstLookAt: number | undefined;

  constructor(options: { sweeps: SweepModel; workerCalls: WorkerCalls; clock: Clock }) {
    this.#sweeps = options.sweeps;
    this.#workerCalls = options.workerCalls;
    this.#clock = options.clock;
  }

  async run(): Promise<void> {
    this.#firstLookAt ??= this.#clock.monotonic();
    const presentMs = this.#clock.monotonic() - this.#firstLookAt;
    const before = await this.#sweeps.findOne({ _id: NAME }).lean<SweepDocument>();
    const observation = observe(
      before && {
        observingSince: before.observing_since.getTime(),
        lastLookAt: before.last_look_at.getTime(),
      },
      this.#clock.now(),
    );
    await this.#sweeps.updateOne(
      { _id: NAME },
      {
        $set: {
          observing_since: new Date(observation.observingSince),
          last_look_at: new Date(observation.lastLookAt),
        },
      },
      { upsert: true },
    );
    if (!mayJudge(observation, presentMs)) return;
    await this.#workerCalls.loseSilentWorkers();
    await this.#workerCalls.loseCallsOfUnknownWorkers();
  }
}
