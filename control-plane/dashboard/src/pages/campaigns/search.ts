import { z } from 'zod';

export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'running',
  'paused',
  'completed',
  'cancelled',
] as const;
export const CONTACT_STATUSES = [
  'pending',
  'dialing',
  'in_progress',
  'completed',
  'failed',
  'busy',
  'no_answer',
  'voicemail',
  'skipped',
  'cancelled',
] as const;
export const TABS = ['contacts', 'results'] as const;

/** What of the list the address holds. */
export const campaignsSearch = z.object({
  status: z.enum(CAMPAIGN_STATUSES).optional().catch(undefined),
});

/** What of a campaign the address holds. */
export const campaignSearch = z.object({
  tab: z.enum(TABS).optional().catch(undefined),
  contacts: z.enum(CONTACT_STATUSES).optional().catch(undefined),
  outcome: z.string().max(100).optional().catch(undefined),
});
