import { z } from 'zod';

/** Which delivery is inspected, by the id of one of its attempts. */
export const webhookSearch = z.object({ delivery: z.uuid().optional().catch(undefined) });
