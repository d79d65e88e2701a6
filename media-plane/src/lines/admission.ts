import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { MediaLine } from './port.js';

/** What a line asks of its worker when it knows which call it is for. */
export interface Admission {
  /** The reserved call that the one-time token is for; the token is used up. Undefined: there is none. */
  claim(callId: string, token: string): CallPlan | undefined;
  /** Starts the call on the line, which it then listens to. */
  startCall(plan: CallPlan, line: MediaLine): void;
}
