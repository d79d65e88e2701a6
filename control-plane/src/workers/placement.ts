import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { CallPlan, Reservation } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import { type Span, type TracingContext, traced } from '@voice/shared/tracing/tracer';
import type { WorkerDocument } from './model.js';
import { placementOrder, type Random } from './placement-order.js';
import type { WorkerRegistry } from './registry.js';
import type { WorkerClient } from './worker-client.js';

/** How many workers are asked before the call waits for the next round. */
const ATTEMPTS = 6;

export interface Place {
  readonly kind: 'placed';
  readonly worker: WorkerDocument;
  readonly reservation: Reservation;
}

export type PlacementOutcome =
  | Place
  /** No worker has room now; later one may. */
  | { readonly kind: 'no_room' }
  /** No worker can run this plan, and time will not change it. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Whether it matters which of them is asked. Where all run in one place, nobody is asked for the tenant's. */
const hasRegions = (workers: readonly WorkerDocument[]): boolean =>
  new Set(workers.map(({ region }) => region ?? null)).size > 1;

function describePlacement(outcome: PlacementOutcome): Pick<Span, 'attributes' | 'error'> {
  return {
    attributes: {
      'call.placement.outcome': outcome.kind,
      'call.worker.id': outcome.kind === 'placed' ? outcome.worker._id : undefined,
    },
    error: outcome.kind === 'refused' ? outcome.code : undefined,
  };
}

interface PlacementOptions {
  readonly registry: WorkerRegistry;
  readonly client: WorkerClient;
  readonly log: Log;
  readonly random?: Random;
  /** Transforms the plan before it is sent to a worker. */
  readonly prepare?: (plan: CallPlan) => CallPlan;
  /** Returns the label of where the tenant's calls are placed first; by default none has one. */
  readonly regionOf?: (tenantId: string) => Promise<string | null>;
  /** By default nothing is traced. */
  readonly tracing?: TracingContext;
}

/** Finds a worker with room. No lock is shared: the worker's own answer decides. */
export class Placement {
  readonly #options: PlacementOptions;
  readonly #random: Random;
  readonly #prepare: (plan: CallPlan) => CallPlan;
  readonly #regionOf: (tenantId: string) => Promise<string | null>;

  constructor(options: PlacementOptions) {
    this.#options = options;
    this.#regionOf = options.regionOf ?? (async () => null);
    this.#prepare = options.prepare ?? ((plan) => plan);
    this.#random = options.random ?? Math.random;
  }

  /** Asks workers in turn; a refusal counts only when nobody else has room for the call. */
  place(plan: CallPlan): Promise<PlacementOutcome> {
    return traced(
      this.#options.tracing,
      { callId: plan.call_id, name: 'placement', attributes: { 'tenant.id': plan.tenant_id } },
      () => this.#place(plan),
      describePlacement,
    );
  }

  async #place(given: CallPlan): Promise<PlacementOutcome> {
    const plan = this.#prepare(given);
    const candidates = await this.#candidates(plan);
    const region = hasRegions(candidates) ? await this.#regionOf(plan.tenant_id) : null;
    const order = placementOrder(candidates, this.#random, region).slice(0, ATTEMPTS);
    let last: PlacementOutcome = { kind: 'no_room' };
    for (const worker of order) {
      const outcome = await this.#options.client.reserve(worker.control_url, plan);
      if (outcome.kind === 'reserved') {
        return { kind: 'placed', worker, reservation: outcome.reservation };
      }
      if (outcome.kind === 'refused') last = outcome;
      this.#options.log.info(
        {
          call_id: plan.call_id,
          worker_id: worker._id,
          outcome: outcome.kind,
          cause: outcome.kind === 'unreachable' ? String(outcome.cause) : undefined,
          reason: outcome.kind === 'refused' ? outcome.code : undefined,
        },
        'a worker has no place',
      );
    }
    return last;
  }

  #candidates({ carrier }: CallPlan): Promise<readonly WorkerDocument[]> {
    return carrier.protocol === 'webrtc'
      ? this.#options.registry.webRtcCandidates()
      : this.#options.registry.candidates();
  }

  /**
   * Gives the call's place at its worker back, if the worker is known.
   * @returns what preparing the call has used; null when that was nothing, or is not known
   */
  async giveBack(workerId: string, callId: string): Promise<CallUsage | null> {
    const worker = await this.#options.registry.find(workerId);
    return worker ? this.#options.client.giveBack(worker.control_url, callId) : null;
  }
}
