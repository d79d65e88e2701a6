import { z } from 'zod';
import { searchedNumber } from '../../format/searched-number.js';

/** What of the list the address holds. */
export const dncSearch = z.object({
  number: searchedNumber,
  source: z.enum(['api', 'import', 'opt_out']).optional().catch(undefined),
});
export type DncSearch = z.infer<typeof dncSearch>;
