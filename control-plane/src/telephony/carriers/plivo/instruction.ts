import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { apiError } from '../../../platform/http/error-codes.js';

/** What Plivo is to do when it asks: it asks when somebody answers, and when a call is given a new course. */
const instruction = z.discriminatedUnion('do', [
  z.object({ do: z.literal('stream'), callId: z.string(), url: z.string(), token: z.string() }),
  z.object({ do: z.literal('say'), text: z.string() }),
  z.object({ do: z.literal('dial'), from: z.string(), to: z.string(), action: z.string() }),
  /** A human hears a briefing; when they have heard it to its end, `next` is asked what comes. */
  z.object({ do: z.literal('brief'), briefing: z.string(), next: z.string() }),
  /** Two people meet in a room. */
  z.object({ do: z.literal('meet'), room: z.string() }),
  z.object({ do: z.literal('hang_up') }),
]);
export type PlivoInstruction = z.output<typeof instruction>;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Instructions travel in the addresses at which Plivo asks, encrypted: they hold one-time tokens, verification codes
 * and what is said of people, which must not be in anybody's log of requests.
 */
export class SealedInstructions {
  readonly #key: Buffer;

  constructor(authToken: string) {
    this.#key = Buffer.from(hkdfSync('sha256', authToken, '', 'plivo instructions', 32));
  }

  wrap(what: PlivoInstruction): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    const text = Buffer.concat([cipher.update(JSON.stringify(what), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
  }

  /** Throws 400 `malformed_request` for what this installation did not seal. */
  open(sealed: string): PlivoInstruction {
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return instruction.parse(JSON.parse(text.toString('utf8')));
    } catch (cause) {
      throw apiError('malformed_request', 'The instruction is not one of ours.', { cause });
    }
  }
}
