import { z } from 'zod';

/** What of the page the address holds. */
export const billingSearch = z.object({
  /** Set by the way back from the payment provider's page. */
  billing: z.enum(['success']).optional().catch(undefined),
});
