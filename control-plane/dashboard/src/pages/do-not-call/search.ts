import { z } from 'zod';
import { phoneOf } from '../../format/phone.js';

/** What of the list the address holds. */
export const dncSearch = z.object({
  /** In E.164. */
  number: z
    .string()
    .refine((text) => phoneOf(text) === text)
    .optional()
    .catch(undefined),
  source: z.enum(['api', 'import', 'opt_out']).optional().catch(undefined),
});
export type DncSearch = z.infer<typeof dncSearch>;
