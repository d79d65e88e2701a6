import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { CallDirection } from '@voice/shared/contracts/primitives';
import type { ModelTokens } from '../../language-model/port.js';
import type { MicroDollars } from '../../platform/money/micro-dollars.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { CarrierPrice } from '../../telephony/carriers/port.js';
import type { PostCallStep } from '../post-call/step.js';
import type { CallDocument } from '../record/model.js';

/** What the cost of a call is reckoned from. */
export interface CallSource {
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  /** What the call's worker was answered through the language model proxy, by model. */
  readonly proxiedTokensOf: (call: CallDocument) => Promise<readonly ModelTokens[]>;
  /** What the analysis of the call used; null where there was none, or it failed. */
  readonly analysisTokensOf: (call: CallDocument) => Promise<ModelTokens | null>;
  /** What the carrier charges for the call by its own word. */
  readonly carrierPriceOf: (call: CallDocument, signal: AbortSignal) => Promise<CarrierPrice>;
}

/** Who speaks, and over whose line to whom. */
interface HeldAgentCall {
  readonly agent: Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config'>;
  readonly carrier: string;
  readonly direction: CallDirection;
  readonly toNumber: string;
}

/** What calls need of billing. */
export interface CallBilling {
  /**
   * Refuses a new call, test session, number or verification with 402 when the tenant may not spend (any more). `hold`:
   * what a minute of the call is taken to cost, in micro-dollars, asked for where the limit is near.
   */
  admit(scope: TenantScope, hold?: () => Promise<MicroDollars>): Promise<void>;
  /**
   * Returns what a minute of a call is taken to cost until its cost is known: by its agent's providers and its line.
   */
  minuteHold(call: HeldAgentCall): MicroDollars;
  /** Gives an ended and analysed call its cost, and charges it. */
  costStep(source: CallSource): PostCallStep;
  /** Returns what a call will have cost, its analysis left out, in USD; null while its usage is not known. */
  foreseeCost(call: CallDocument, eventsOf: CallSource['eventsOf']): Promise<number | null>;
}
