import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

const timestamp = z.iso.datetime();

export const tenantSummary = z.object({
  id: uuid,
  name: z.string(),
  /** Where the tenant is at home; null where nobody has said. */
  country: z.string().nullable(),
  /** The label of the workers that its calls are placed at first. */
  region: z.string().nullable(),
  created_at: timestamp,
});
export const countryChange = z.strictObject({
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two capital letters (ISO 3166-1 alpha-2)')
    .nullable(),
});
export const regionChange = z.strictObject({
  region: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be letters, digits, dots, dashes and underscores')
    .nullable(),
});
export const tenantDetail = z.object({
  ...tenantSummary.shape,
  api_keys: z.number().int(),
  agents: z.number().int(),
  calls: z.number().int(),
  live_calls: z.number().int(),
});

export const workerStatus = z.object({
  id: z.string(),
  control_url: z.string(),
  media_url: z.string(),
  /** The label of where it runs. */
  region: z.string().nullable(),
  capacity: z.number().int(),
  free: z.number().int(),
  live: z.number().int(),
  reserved: z.number().int(),
  /** By its own word: it is shutting down. */
  draining: z.boolean(),
  /** Its disk is full: it gets no new calls. */
  storage_full: z.boolean(),
  /** By the operator's: it gets no new calls. */
  held_back: z.boolean(),
  /** Whether it takes WebRTC sessions, and why not; null: it never will. */
  webrtc: z
    .object({ available: z.boolean(), reason: z.string().nullable(), ready_at: timestamp.nullable() })
    .nullable(),
  last_seen_at: timestamp,
});

export const drainRequest = z.object({ draining: z.boolean().default(true) }).default({ draining: true });
export const operatorHangupRequest = z.object({ reason: z.string().max(500).optional() }).optional();
export const operatorHangupResponse = z.object({
  call_id: uuid,
  status: z.enum(['hanging_up', 'already_ended']),
});
