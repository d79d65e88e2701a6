import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { ModelTokens } from '../language-model/port.js';
import type { PostCallStep } from '../post-call/step.js';
import type { CallDocument, CallModel } from './model.js';

/** What the cost of a call is reckoned from. */
export interface CallSource {
  readonly calls: CallModel;
  readonly eventsOf: (call: CallDocument) => Promise<CallEvent[]>;
  /** What the call's worker was answered through the language model proxy, by model. */
  readonly proxiedTokensOf: (call: CallDocument) => Promise<readonly ModelTokens[]>;
  /** What the analysis of the call used; null where there was none, or it failed. */
  readonly analysisTokensOf: (call: CallDocument) => Promise<ModelTokens | null>;
}

/** What calls need of billing. */
export interface CallBilling {
  /** Refuses a new call with 402 when the tenant may not spend any more. */
  admit(tenant: TenantId, sandbox: boolean): Promise<void>;
  /** Gives an ended and analysed call its cost, and charges it. */
  costStep(source: CallSource): PostCallStep;
  /** What a call will have cost, its analysis left out, in USD; null while its usage is not known. */
  foreseeCost(call: CallDocument, eventsOf: CallSource['eventsOf']): Promise<number | null>;
}
