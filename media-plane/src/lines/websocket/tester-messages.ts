import { type TesterClientMessage, testerClientMessage } from '@voice/shared/contracts/tester-protocol';
import { ProtocolViolation } from '../codec.js';

/** Throws `ProtocolViolation` for what is not of the protocol. */
export function readTesterMessage(text: string): TesterClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation('a text frame that is not JSON');
  }
  const parsed = testerClientMessage.safeParse(value);
  if (!parsed.success) throw new ProtocolViolation('a message that testers do not send');
  return parsed.data;
}
