import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { PostCallStep } from '../post-call/step.js';
import type { CallDocument, CallModel } from './model.js';

/** What the cost of a call is reckoned from. */
export interface CallSource {
  readonly calls: CallModel;
  readonly eventsOf: (call: CallDocument) => Promise<CallEvent[]>;
}

/** What calls need of billing. */
export interface CallBilling {
  /** Refuses a new call with 402 when the tenant may not spend any more. */
  admit(tenant: TenantId, sandbox: boolean): Promise<void>;
  /** Gives an ended call its cost. */
  costStep(source: CallSource): PostCallStep;
  /** What a call will have cost by what is known of it, in USD; null while its usage is not known. */
  foreseeCost(call: CallDocument, eventsOf: CallSource['eventsOf']): Promise<number | null>;
}
