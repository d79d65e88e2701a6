import { listenChannels } from '@voice/shared/contracts/live-streams';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

export const callParams = z.object({ call_id: uuid });

const linkToken = z
  .string()
  .max(2000)
  .optional()
  .describe('The token of a signed link, in place of a credential.');

export const liveQuery = z.object({
  t: linkToken,
  last_event_id: z
    .string()
    .regex(/^\d{1,9}$/, 'the id of an event')
    .optional()
    .describe('The same as the header `Last-Event-ID`, for clients that cannot send one.'),
});

export const listenQuery = z.object({
  t: linkToken,
  channels: listenChannels
    .default('mixed')
    .describe('`mixed`: both sides in one channel. `stereo`: the caller left, the agent right.'),
});

export const liveLinkResponse = z
  .object({
    live_url: z.url().describe('For `EventSource`: the events.'),
    listen_url: z.string().describe('For `WebSocket`: the audio. Add `&channels=stereo` for two channels.'),
    expires_at: z.iso.datetime().describe('Open them until then; what is open goes on.'),
  })
  .meta({ id: 'LiveLinkResponse' });
