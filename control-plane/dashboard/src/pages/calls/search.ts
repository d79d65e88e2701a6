import { z } from 'zod';

/** Words are looked for from so many letters on. */
export const FEWEST_LETTERS = 2;

/** What of the list the address holds. What it does not know it leaves out, so that an old link still opens. */
export const callsSearch = z.object({
  status: z
    .enum(['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'BUSY', 'NO_ANSWER', 'VOICEMAIL'])
    .optional()
    .catch(undefined),
  direction: z.enum(['inbound', 'outbound']).optional().catch(undefined),
  agent: z.uuid().optional().catch(undefined),
  /** Words that were said. */
  q: z.coerce.string().trim().min(FEWEST_LETTERS).max(100).optional().catch(undefined),
});
export type CallsSearch = z.infer<typeof callsSearch>;
