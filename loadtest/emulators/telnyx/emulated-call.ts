import type { Body } from './command-bodies.js';
import type { MediaStream } from './media.js';
import type { Phone } from './phone.js';

export interface EmulatedCall {
  readonly id: string;
  readonly direction: 'incoming' | 'outgoing';
  readonly from: string;
  readonly to: string;
  /** As it was asked for; empty for a call that came in, or that a transfer made. */
  readonly dial: Body;
  state: 'ringing' | 'answered' | 'ended';
  clientState: string | undefined;
  stream: MediaStream | undefined;
  /** Who is at the other end; without one, the test says what they do. */
  readonly phone: Phone | undefined;
  /** The call that a transfer takes here. */
  readonly transferOf: EmulatedCall | undefined;
  bridgedWith: EmulatedCall | undefined;
  /** What was spoken to the person, to its last word. */
  readonly heard: string[];
  /** Ends what is being spoken. */
  speaking: AbortController | undefined;
  readonly over: AbortController;
}

/** Returns the call as the API answers it. */
export function resourceOf(call: EmulatedCall): object {
  return {
    record_type: 'call',
    call_control_id: call.id,
    call_leg_id: call.id,
    call_session_id: call.id,
    is_alive: true,
    client_state: call.clientState ?? null,
  };
}

/** Returns what every event of the call holds. */
export function eventOf(call: EmulatedCall, connectionId: string): object {
  return {
    call_control_id: call.id,
    connection_id: connectionId,
    call_leg_id: call.id,
    call_session_id: (call.transferOf ?? call).id,
    client_state: call.clientState ?? null,
    direction: call.direction,
    from: call.from,
    to: call.to,
    state: call.state,
  };
}
