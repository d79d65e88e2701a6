import { z } from 'zod';

/** Which of the running calls is followed. */
export const liveSearch = z.object({ call: z.uuid().optional().catch(undefined) });
