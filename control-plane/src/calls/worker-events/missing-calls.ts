import type { MissingCall } from '../../workers/model.js';

/**
 * Returns which calls have been missing for how long: keeps the times of those that still are, starts them for new ones
 * with when the worker held them last (`heldAt`), and forgets the rest. Pure.
 */
export function updateMissing(
  before: readonly MissingCall[],
  missingNow: readonly string[],
  now: number,
  heldAt: (callId: string) => Date | null,
): MissingCall[] {
  const known = new Map(before.map((call) => [call.call_id, call]));
  return missingNow.map((id) => known.get(id) ?? { call_id: id, since: new Date(now), held_at: heldAt(id) });
}
