import type { CallPlan, Reservation } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { WorkerDocument } from './model.js';
import { placementOrder, type Random } from './placement-order.js';
import type { WorkerRegistry } from './registry.js';
import type { WorkerClient } from './worker-client.js';

/** How many workers are asked before the call waits for the next round. */
const ATTEMPTS = 6;

export interface Place {
  readonly worker: WorkerDocument;
  readonly reservation: Reservation;
}

/** Finds a worker with room. No lock is shared: the worker's own answer decides. */
export class Placement {
  readonly #registry: WorkerRegistry;
  readonly #client: WorkerClient;
  readonly #log: Log;
  readonly #random: Random;

  constructor(options: {
    readonly registry: WorkerRegistry;
    readonly client: WorkerClient;
    readonly log: Log;
    readonly random?: Random;
  }) {
    this.#registry = options.registry;
    this.#client = options.client;
    this.#log = options.log;
    this.#random = options.random ?? Math.random;
  }

  /** A reserved place for the call, or null when no worker has one now. */
  async place(plan: CallPlan): Promise<Place | null> {
    const order = placementOrder(await this.#registry.candidates(), this.#random).slice(0, ATTEMPTS);
    for (const worker of order) {
      const outcome = await this.#client.reserve(worker.control_url, plan);
      if (outcome.kind === 'reserved') return { worker, reservation: outcome.reservation };
      this.#log.info(
        {
          call_id: plan.call_id,
          worker_id: worker._id,
          outcome: outcome.kind,
          cause: outcome.kind === 'unreachable' ? String(outcome.cause) : undefined,
        },
        'a worker has no place',
      );
    }
    return null;
  }

  /** Gives the call's place at its worker back, if the worker is known. */
  async giveBack(workerId: string, callId: string): Promise<void> {
    const worker = await this.#registry.find(workerId);
    if (worker) await this.#client.giveBack(worker.control_url, callId);
  }
}
