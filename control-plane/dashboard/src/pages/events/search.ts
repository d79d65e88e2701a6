import { z } from 'zod';

/** What of the log the address holds. */
export const eventsSearch = z.object({
  type: z.string().max(64).optional().catch(undefined),
  /** The event that is looked at. */
  event: z.uuid().optional().catch(undefined),
});
