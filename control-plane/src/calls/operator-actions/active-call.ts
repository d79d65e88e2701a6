import { apiError } from '../../platform/http/error-codes.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { CommandOutcome } from '../../workers/worker-client.js';
import type { CallDocument, CallModel } from '../record/model.js';

/** Returns the call, if it is answered and not over: throws 404 `call_not_found`, 409 `call_not_active`. */
export async function requireInProgress(
  calls: CallModel,
  scope: TenantScope,
  callId: string,
): Promise<CallDocument> {
  const call = await calls.findOne({ _id: callId, ...ownedBy(scope) }).lean<CallDocument>();
  if (!call) throw apiError('call_not_found');
  if (call.status !== 'IN_PROGRESS') throw apiError('call_not_active');
  return call;
}

/** Requires the same, and the call's media to have started. */
export async function requireActive(
  calls: CallModel,
  scope: TenantScope,
  callId: string,
): Promise<CallDocument> {
  const call = await requireInProgress(calls, scope, callId);
  if (!call.media_started_at) throw apiError('call_not_active');
  return call;
}

/** Throws 409 `call_not_active` and 503 `worker_unreachable` for a command that had no effect. */
export function requireTaken(outcome: CommandOutcome): void {
  switch (outcome) {
    case 'accepted':
      return;
    case 'already_ended':
    case 'not_held':
      throw apiError('call_not_active');
    case 'unreachable':
      throw apiError('worker_unreachable', undefined, { retryable: true, retryAfterSeconds: 1 });
  }
}
