import { z } from 'zod';

/** Days that can be looked back, today counted. The service counts 30. */
export const RANGES = [7, 14, 30] as const;

/** What of the page the address holds. */
export const analyticsSearch = z.object({
  days: z
    .union([z.literal(7), z.literal(14), z.literal(30)])
    .optional()
    .catch(undefined),
});
