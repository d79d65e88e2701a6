import type { TenantKey } from '../../platform/store/tenant-scope.js';
import type { Placement } from '../../workers/placement.js';
import { isTerminal } from '../record/call-state.js';
import type { CallDocument, CallModel } from '../record/model.js';

interface StrayPlaceOptions {
  readonly calls: CallModel;
  readonly placement: Pick<Placement, 'giveBack'>;
}

/**
 * Gives back a place that another dispatcher may have taken for the same call meanwhile: at one worker they share the
 * call's only place, so where the call is, or may be about to be, at that worker, the place stays and expires by
 * itself. Returns whether it was given back.
 */
export async function giveBackIfStray(
  { calls, placement }: StrayPlaceOptions,
  { _id, tenant_id }: TenantKey,
  workerId: string,
): Promise<boolean> {
  const stored = await calls
    .findOne({ _id, tenant_id }, { status: 1, worker_id: 1 })
    .lean<Pick<CallDocument, 'status' | 'worker_id'>>();
  if (stored && !isTerminal(stored.status) && (stored.worker_id ?? workerId) === workerId) return false;
  await placement.giveBack(workerId, _id);
  return true;
}
