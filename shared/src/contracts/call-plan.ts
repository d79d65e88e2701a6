import { z } from 'zod';
import { CARRIER_NAMES, CARRIER_PROTOCOLS, telnyxCodec } from '../catalogue/carriers.js';
import { agentSnapshot } from './agent.js';
import { callDirection, e164, uuid } from './primitives.js';

/** How a provider is reached; keys travel in the plan only, over the authenticated inter-plane link. */
export const providerCredentials = z.object({
  api_key: z.string().optional(),
  /** Overrides the vendor's own address. */
  base_url: z.url().optional(),
});
export type ProviderCredentials = z.infer<typeof providerCredentials>;

export const carrierLink = z.object({
  name: z.enum([...CARRIER_NAMES, 'websocket', 'webrtc']),
  /**
   * What is spoken on the media stream; the simulated carrier speaks Twilio's. Testers speak `websocket` or
   * `webrtc`: the latter has no stream URL, its offers come through the control plane (contract: `webrtc.ts`).
   */
  protocol: z.enum([...CARRIER_PROTOCOLS, 'websocket', 'webrtc']),
  /** What the media stream will carry, so that the call is prepared for it; absent: PCMU. */
  codec: telnyxCodec.optional(),
  /**
   * Only for simulated people: where the text of what they say is published beside the audio, as
   * WebSocket `<captions_url>/<callSid>` (contract: `captions.ts`).
   */
  captions_url: z.url().optional(),
});

/** Everything that a worker needs to run one call: control plane to worker, `POST /control/calls`. */
export const callPlan = z.object({
  call_id: uuid,
  tenant_id: uuid,
  direction: callDirection,
  sandbox: z.boolean(),
  from_number: e164,
  to_number: e164,
  agent: agentSnapshot,
  /** Said first and uninterruptible; null where none is needed. */
  disclosure: z.string().nullable(),
  carrier: carrierLink,
  /** By provider name (`deepgram`, `openai`, `elevenlabs`). */
  credentials: z.record(z.string(), providerCredentials),
  /** Epoch ms; without a media stream by then, the reservation is given back. */
  stream_deadline_at: z.number(),
});
export type CallPlan = z.infer<typeof callPlan>;

/** 201 of `POST /control/calls`. */
export const reservation = z.object({
  call_id: uuid,
  worker_id: z.string(),
  /** Where the carrier must open its media stream. */
  stream_url: z.string(),
  /** One-time; must arrive as the stream's custom parameter `token`. */
  stream_token: z.string(),
});
export type Reservation = z.infer<typeof reservation>;
