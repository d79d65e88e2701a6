import { z } from 'zod';

/** Which number is open. */
export const numbersSearch = z.object({ phone: z.uuid().optional().catch(undefined) });
