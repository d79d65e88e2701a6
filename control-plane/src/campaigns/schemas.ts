import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { callingHours } from '../agents/calling-hours.js';
import { extractionSchemaInput } from '../agents/extraction-schema.js';
import { totalFields } from '../platform/http/totals.js';
import { CAMPAIGN_STATUSES, CONTACT_STATUSES } from './campaign-state.js';
import { LONGEST_DATA, LONGEST_FIELD_NAME, MAX_CONTACTS } from './contacts/contact-list.js';
import { campaignSettings, outcomeLabels, shownCampaignSettings, successCriteria } from './settings.js';
import { timestamp, timestampInput } from './timestamps.js';

const count = z.number().int().nonnegative();

const contactInput = z
  .strictObject({
    phone: z.string().min(1).max(64).describe('E.164, or any usual notation; national numbers count as US.'),
    first_name: z.string().max(255).nullish(),
    last_name: z.string().max(255).nullish(),
    contact_data: z
      .record(z.string().min(1).max(LONGEST_FIELD_NAME), z.unknown())
      .refine((value) => JSON.stringify(value).length <= LONGEST_DATA, 'must not be over 16 KiB as JSON')
      .default({})
      .describe('Custom fields; each is a variable of the calls.'),
  })
  .meta({ id: 'CampaignContactCreate' });

export const campaignCreate = campaignSettings
  .extend({ contacts: z.array(contactInput).min(1).max(MAX_CONTACTS) })
  .meta({ id: 'CampaignCreate' });
export type CampaignCreate = z.output<typeof campaignCreate>;

export const campaignCriteriaUpdate = z
  .strictObject({
    outcome_labels: outcomeLabels.optional(),
    success_criteria: successCriteria.optional(),
    extraction_schema: extractionSchemaInput.optional(),
  })
  .meta({ id: 'CampaignCriteriaUpdate' });
export type CampaignCriteriaUpdate = z.output<typeof campaignCriteriaUpdate>;

const contactCounts = z
  .object(
    Object.fromEntries(CONTACT_STATUSES.map((status) => [status, count])) as Record<
      (typeof CONTACT_STATUSES)[number],
      typeof count
    >,
  )
  .describe('Contacts by status.');

const campaignSummary = shownCampaignSettings
  .extend({
    id: uuid,
    status: z.enum(CAMPAIGN_STATUSES),
    is_test: z.boolean().describe('Made with a sandbox key: it calls carrier test numbers only.'),
    total_contacts: count,
    waiting_reason: z
      .string()
      .nullable()
      .describe('Why a running campaign does not dial just now, for example `agent_inactive`.'),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'CampaignSummary' });
export type CampaignSummary = z.infer<typeof campaignSummary>;

export const campaignResponse = campaignSummary
  .extend({
    calling_hours: callingHours.describe("The agent's, as they are now."),
    contact_counts: contactCounts,
  })
  .meta({ id: 'CampaignResponse' });
export type CampaignResponse = z.infer<typeof campaignResponse>;

export const campaignListResponse = z
  .object({
    campaigns: z.array(campaignSummary),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'CampaignListResponse' });

const duplicate = z
  .object({
    line: z.number().int().describe('The line of the file, or the place in `contacts` counted from 1.'),
    first_line: z.number().int(),
    phone: z.string(),
  })
  .meta({ title: 'DuplicateContact' })
  .describe(
    'A contact that was left out because its number occurred before. Carrier test numbers of the sandbox may repeat.',
  );

export const campaignCreateResponse = z
  .object({
    id: uuid,
    campaign_id: uuid.describe('The same as `id`.'),
    name: z.string(),
    status: z.enum(CAMPAIGN_STATUSES),
    total_contacts: count,
    duplicate_count: count.describe('Contacts that were left out because their number occurred before.'),
    duplicates: z.array(duplicate).describe('The first 1,000.'),
  })
  .meta({ id: 'CampaignCreateResponse' });
export type CampaignCreateResponse = z.infer<typeof campaignCreateResponse>;

export const csvUploadResponse = campaignCreateResponse
  .extend({
    total_rows: count.describe('Rows of the file, without its header and empty lines.'),
    error_count: count,
    errors: z
      .array(z.object({ line: z.number().int(), code: z.string(), message: z.string() }))
      .describe('Rows that were left out, by their line in the file; the first 1,000.'),
  })
  .meta({ id: 'CSVUploadResponse' });
export type CsvUploadResponse = z.infer<typeof csvUploadResponse>;

export const campaignTransitionResponse = z
  .object({
    id: uuid,
    campaign_id: uuid.describe('The same as `id`.'),
    status: z.enum(CAMPAIGN_STATUSES),
    previous_status: z.enum(CAMPAIGN_STATUSES),
  })
  .meta({ id: 'CampaignTransitionResponse' });
export type CampaignTransitionResponse = z.infer<typeof campaignTransitionResponse>;

export const contactResponse = z
  .object({
    id: uuid,
    campaign_id: uuid,
    phone: z.string().nullable().describe('E.164; null once the contact is erased with its last call.'),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    contact_data: z.record(z.string(), z.unknown()),
    status: z.enum(CONTACT_STATUSES),
    attempts: count,
    next_retry_at: timestamp
      .nullable()
      .describe(
        'When a pending contact is called, where it waits for a retry, for its calling hours to open, for ' +
          'another live call with its number to end, or for the time that it was rescheduled to.',
      ),
    last_call_id: uuid.nullable(),
    last_outcome: z
      .string()
      .nullable()
      .describe(
        "The outcome label of its last call, or how that call ended where there is none; known once the call's end is published.",
      ),
    skip_reason: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'CampaignContactResponse' });
export type ContactResponse = z.infer<typeof contactResponse>;

export const contactListResponse = z
  .object({ contacts: z.array(contactResponse), ...totalFields, has_more: z.boolean() })
  .meta({ id: 'CampaignContactListResponse' });

export const contactRescheduleRequest = z
  .strictObject({ next_retry_at: timestampInput.describe('Strictly in the future.') })
  .meta({ id: 'ContactRescheduleRequest' });
