import { z } from 'zod';
import { type Content, content, setup, toolList } from './setup-message.js';

const empty = z.strictObject({});
const blob = z.strictObject({ data: z.base64(), mimeType: z.string() });

const realtimeInput = z.strictObject({
  audio: blob.optional(),
  text: z.string().optional(),
  activityStart: empty.optional(),
  activityEnd: empty.optional(),
  audioStreamEnd: z.boolean().optional(),
});
export type RealtimeInput = z.infer<typeof realtimeInput>;

const functionResponse = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  response: z.looseObject({}),
  scheduling: z.enum(['SILENT', 'WHEN_IDLE', 'INTERRUPT']).optional(),
  willContinue: z.boolean().optional(),
});

/** Exactly one of these fields is set. */
const clientMessage = z.strictObject({
  setup: setup.optional(),
  clientContent: z
    .strictObject({ turns: z.array(content).optional(), turnComplete: z.boolean().optional() })
    .optional(),
  realtimeInput: realtimeInput.optional(),
  toolResponse: z.strictObject({ functionResponses: z.array(functionResponse).min(1) }).optional(),
  contextUpdate: z
    .strictObject({
      systemInstruction: content.optional(),
      tools: z.strictObject({ tools: toolList.optional() }).optional(),
    })
    .optional(),
});
export type ClientMessage = z.infer<typeof clientMessage>;
export type { Content };

/** A close frame's code and reason. */
export interface Refusal {
  readonly code: 1007 | 1008 | 1011;
  readonly reason: string;
}

/** What Google answers to most broken requests, without a word on which field it was. */
export const INVALID_ARGUMENT: Refusal = { code: 1007, reason: 'Request contains an invalid argument.' };

/** Reads one message of the client as strictly as the service does. */
export function parseClientMessage(text: string): ClientMessage | Refusal {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { code: 1007, reason: 'Invalid JSON payload received. Expected a value.' };
  }
  const parsed = clientMessage.safeParse(json);
  if (!parsed.success) return refusalOf(parsed.error.issues[0]!);
  // A oneof: more than one field, or none, cannot be (the exact wording is not documented).
  if (Object.keys(parsed.data).length !== 1) return INVALID_ARGUMENT;
  return parsed.data;
}

function refusalOf(issue: z.core.$ZodIssue): Refusal {
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const at = path.replace(/^\./, '');
  if (issue.code === 'unrecognized_keys') {
    const where = at === '' ? '' : ` at '${at}'`;
    return {
      code: 1007,
      reason: `Invalid JSON payload received. Unknown name "${issue.keys[0]}"${where}: Cannot find field.`,
    };
  }
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') {
    return { code: 1007, reason: `Invalid value at '${at}'` };
  }
  return INVALID_ARGUMENT;
}

/**
 * Parses the sample rate of `audio/pcm;rate=16000`, in Hz (16,000 when it is not given); undefined for any other
 * type.
 */
export function pcmRate(mimeType: string): number | undefined {
  const match = /^audio\/pcm(?:;\s*rate=(\d{4,6}))?$/i.exec(mimeType);
  if (!match) return undefined;
  const rate = Number(match[1] ?? 16_000);
  return rate >= 8000 && rate <= 48_000 ? rate : undefined;
}
