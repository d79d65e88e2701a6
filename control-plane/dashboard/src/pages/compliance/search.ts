import { z } from 'zod';
import { searchedNumber } from '../../format/searched-number.js';
import { REASONS } from './words.js';

/** What of the page the address holds. */
export const complianceSearch = z.object({
  number: searchedNumber,
  decision: z.enum(['allowed', 'denied']).optional().catch(undefined),
  reason: z.enum(Object.keys(REASONS)).optional().catch(undefined),
  /** The check that is open. */
  check: z.uuid().optional().catch(undefined),
});
export type ComplianceSearch = z.infer<typeof complianceSearch>;
