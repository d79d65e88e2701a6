import type { TelnyxCodec } from '@voice/shared/catalogue/carriers';
import { z } from 'zod';

/**
 * What we give Telnyx with a command and get back with every later event of that call: the carrier's
 * memory instead of ours, so that any replica can go on. Base64 of JSON, as Telnyx demands.
 */
export type ClientState =
  /** A call of an agent; the media stream shows `token`, and its codec where that is not PCMU. */
  | { readonly call_id: string; readonly token?: string; readonly codec?: TelnyxCodec }
  /** A human who is rung for a warm transfer, and what they hear first. */
  | { readonly transfer_id: string; readonly say?: string }
  /** A human to whom Telnyx brings the call of this `call_control_id` over, if they answer. */
  | { readonly brought_from: string }
  /** Somebody who only hears this, then their call ends. */
  | { readonly say: string };

const clientState = z.object({
  call_id: z.string().optional(),
  transfer_id: z.string().optional(),
  brought_from: z.string().optional(),
  say: z.string().optional(),
});

export function encodeClientState(state: ClientState): string {
  return Buffer.from(JSON.stringify(state)).toString('base64');
}

/** Empty for what is not ours. */
export function decodeClientState(text: string | null | undefined): z.output<typeof clientState> {
  try {
    return clientState.parse(JSON.parse(Buffer.from(text ?? '', 'base64').toString('utf8')));
  } catch {
    return {};
  }
}
