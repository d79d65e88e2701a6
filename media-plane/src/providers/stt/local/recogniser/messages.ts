import { z } from 'zod';

/** One piece of audio to be understood, bytes in the line's format. */
export const recognitionRequest = z.object({
  id: z.number().int().nonnegative(),
  /** An interim may be shed when there is too much to do; a final is served before all interims. */
  kind: z.enum(['interim', 'final']),
  encoding: z.enum(['pcmu', 'pcma', 'l16']),
  sample_rate: z.union([z.literal(8000), z.literal(16_000), z.literal(24_000), z.literal(48_000)]),
});
export type RecognitionRequest = z.infer<typeof recognitionRequest>;

export const recognitionReply = z.discriminatedUnion('outcome', [
  z.object({
    id: z.number(),
    outcome: z.literal('understood'),
    /** Empty where there was no speech. */
    text: z.string(),
    /** 0..1 */
    confidence: z.number(),
  }),
  /** Not looked at: there was too much to do. */
  z.object({ id: z.number(), outcome: z.literal('shed') }),
  z.object({ id: z.number(), outcome: z.literal('failed'), message: z.string() }),
]);
export type RecognitionReply = z.infer<typeof recognitionReply>;

/** The most that one message may hold, bytes: 30 s of 48,000 Hz linear. */
const LONGEST_MESSAGE = 4_000_000;
const HEAD_BYTES = 8;

/** Frames a header (JSON) and bytes as one message: their two lengths, 32 bits each, little-endian, come first. */
export function frameMessage(header: unknown, body: Uint8Array = new Uint8Array(0)): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, json, body]);
}

/** Cuts a byte stream into messages. Throws on one that is too long or no JSON. */
export class MessageReader {
  readonly #take: (header: unknown, body: Uint8Array) => void;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(take: (header: unknown, body: Uint8Array) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      if (this.#length < HEAD_BYTES) return;
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
      this.#chunks = [all];
      const jsonLength = all.readUInt32LE(0);
      const end = HEAD_BYTES + jsonLength + all.readUInt32LE(4);
      if (end > LONGEST_MESSAGE) throw new Error('a message to or from the recogniser is too long');
      if (all.length < end) return;
      const header: unknown = JSON.parse(all.toString('utf8', HEAD_BYTES, HEAD_BYTES + jsonLength));
      this.#chunks = all.length > end ? [all.subarray(end)] : [];
      this.#length = all.length - end;
      this.#take(header, all.subarray(HEAD_BYTES + jsonLength, end));
    }
  }
}
