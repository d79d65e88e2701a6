import { AnyDue } from '../../platform/store/any-due.js';
import { ConditionalUpdates } from '../../platform/store/conditional-updates.js';
import { GatheredUpdates } from '../../platform/store/gathered-updates.js';
import { UNHURRIED } from '../../platform/store/pacer.js';
import { ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import { TakingUpdates } from '../../platform/store/taking-updates.js';
import type { CallDocument, CallModel } from './model.js';

/** Commands on calls, of which those that come at the same time from anywhere in the process are one. */
export interface GatheredCalls {
  /** Whole documents, which are not to be changed. */
  readonly reads: ReadsByTenantAndId<CallDocument>;
  /** What moves a call: its maker waits to learn whether it did. */
  readonly changes: ConditionalUpdates<CallDocument>;
  /** What follows a call's end, which holds up no change. */
  readonly steps: ConditionalUpdates<CallDocument>;
  /** By which a runner of post-call steps gets a call, and goes on with it as it is then. */
  readonly takes: TakingUpdates<CallDocument>;
  /** Marks and times, of which nobody asks whether they were set. */
  readonly notes: GatheredUpdates<CallDocument>;
  /** That the events of a change are published. */
  readonly published: GatheredUpdates<CallDocument>;
  /** Whether a sweep would find a call; a round's sweeps ask at the same time. */
  readonly due: AnyDue<CallDocument>;
}

const ofModels = new WeakMap<CallModel, GatheredCalls>();

/** Returns the gathered commands of a connection's calls; the same for all who ask. */
export function gatheredCalls(calls: CallModel): GatheredCalls {
  let gathered = ofModels.get(calls);
  if (!gathered) {
    gathered = {
      reads: new ReadsByTenantAndId(calls),
      changes: new ConditionalUpdates(calls),
      steps: new ConditionalUpdates(calls, UNHURRIED),
      takes: new TakingUpdates(calls, UNHURRIED),
      notes: new GatheredUpdates(calls),
      published: new GatheredUpdates(calls, UNHURRIED),
      due: new AnyDue(calls),
    };
    ofModels.set(calls, gathered);
  }
  return gathered;
}
