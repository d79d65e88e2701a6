import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { MediaLine } from './port.js';

/** What a line asks of its worker when it knows which call it is for. */
export interface Admission {
  /** Claims the reserved call of a one-time token, which is used up. Undefined: there is none. */
  claim(callId: string, token: string): CallPlan | undefined;
  /** Starts the call on the line, which it then listens to. */
  startCall(plan: CallPlan, line: MediaLine): void;
}
