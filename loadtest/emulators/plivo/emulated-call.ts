import { randomUUID } from 'node:crypto';
import type { Phone, Phones } from '../telnyx/phone.js';
import type { PlivoStream } from './media.js';

export interface PlivoCall {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly from: string;
  readonly to: string;
  state: 'ringing' | 'in-progress' | 'ended';
  answeredAt: number | undefined;
  hangupCause: number | undefined;
  stream: PlivoStream | undefined;
  /** The stream that the answer document asked for. */
  asked: { readonly url: string; readonly extraHeaders: string } | undefined;
  room: string | undefined;
  /** Who is at the other end; without one, the test says what they do. */
  readonly phone: Phone | undefined;
  readonly hangupUrl: string | undefined;
  /** What was spoken to the person, to its last word. */
  readonly heard: string[];
  readonly over: AbortController;
  /** Ends what the call does now: it has a new course. */
  course: AbortController;
}

/** Makes a call that rings. `phones` say who is at the other end. */
export function newCall(
  direction: PlivoCall['direction'],
  { from, to, hangupUrl }: Pick<PlivoCall, 'from' | 'to' | 'hangupUrl'>,
  phones: Phones | undefined,
): PlivoCall {
  return {
    id: randomUUID(),
    direction,
    from,
    to,
    state: 'ringing',
    answeredAt: undefined,
    hangupCause: undefined,
    stream: undefined,
    asked: undefined,
    room: undefined,
    phone: phones?.(`+${direction === 'inbound' ? from : to}`),
    hangupUrl,
    heard: [],
    over: new AbortController(),
    course: new AbortController(),
  };
}
