import { z } from 'zod';
import { type MediaStreamEvent, ProtocolViolation } from '../port.js';

/** What a tester may say in text frames. */
const testerMessage = z.discriminatedUnion('type', [
  /** The audio before the mark of this name was played, or dropped after a `clear`. */
  z.strictObject({ type: z.literal('mark'), name: z.string().max(200) }),
  z.strictObject({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9A-D*#]$/) }),
  z.strictObject({ type: z.literal('stop') }),
]);

/** What a tester is told in text frames. */
export type ServerMessage =
  | {
      readonly type: 'started';
      readonly session_id: string;
      readonly encoding: string;
      readonly sample_rate: number;
    }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'clear' }
  | { readonly type: 'ended' };

/** Throws `ProtocolViolation` for what is not of the protocol. */
export function readTesterMessage(text: string): MediaStreamEvent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation('a text frame that is not JSON');
  }
  const parsed = testerMessage.safeParse(value);
  if (!parsed.success) throw new ProtocolViolation('a message that testers do not send');
  const message = parsed.data;
  switch (message.type) {
    case 'mark':
      return { type: 'mark', name: message.name };
    case 'dtmf':
      return { type: 'dtmf', digit: message.digit };
    case 'stop':
      return { type: 'stopped' };
  }
}
