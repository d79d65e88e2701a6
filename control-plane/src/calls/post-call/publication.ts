import type { EventCollector } from '../../webhooks/events/tenant-events.js';
import type { CallDocument } from '../record/model.js';

/** One thing that is published of a call after its end. Publications go out one after another, in their order. */
export interface Publication {
  /** Kept with the call when it is out; never renamed. */
  readonly name: string;
  /** Returns whether it can go out now; until then it and those after it wait. `now` is epoch ms. */
  isReady(call: CallDocument, now: number): boolean;
  /**
   * Adds its event, or nothing where there is nothing to publish. Again is the same: its event has an id of its own.
   * The event carries no time before `notBefore`; returns the time that it carries. Both are epoch ms.
   */
  publish(call: CallDocument, notBefore: number, events: EventCollector): Promise<number>;
}

/** Returns whether a post-call step has come to its end, successful or not. */
export function hasDone(call: CallDocument, step: string): boolean {
  return call.post_call_done?.includes(step) === true;
}
