import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { callingHours } from '../agents/calling-hours.js';
import { extractionSchemaInput } from '../agents/extraction-schema.js';
import { CAMPAIGN_STATUSES, CONTACT_STATUSES } from './campaign-state.js';
import { MAX_CONTACTS } from './contacts/contact-list.js';

export const timestamp = z.iso.datetime();
/** Input: any offset is understood. */
export const timestampInput = z.iso.datetime({
  offset: true,
  error: 'must be a date and time with its offset (RFC 3339), such as 2030-01-15T16:00:00Z',
});
const count = z.number().int().nonnegative();

export const campaignName = z.string().trim().min(1).max(255);
export const maxConcurrent = z
  .number()
  .int()
  .min(1)
  .max(1000)
  .describe('Calls at the same time, at most; never exceeded.');
export const callsPerMinute = z
  .number()
  .int()
  .min(1)
  .max(6000)
  .describe(
    'Calls begun a minute, on average. What an interruption cost is made up for at 120 % of it, as far back ' +
      'as a minute. Contacts whose calling hours are closed do not count.',
  );

export const outcomeLabels = z
  .array(z.string().trim().min(1).max(100))
  .max(50)
  .refine((labels) => new Set(labels).size === labels.length, 'labels must differ')
  .describe('What a call may end as. The first is the primary outcome: the one that the campaign is for.');
export const successCriteria = z
  .string()
  .trim()
  .max(4000)
  .nullable()
  .describe('In words: when a call has reached its goal.');
const delay = (seconds: number) => z.number().int().min(1).max(604_800).default(seconds);

export const retryPolicy = z
  .strictObject({
    max_attempts: z
      .number()
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe('Calls per contact, the first included.'),
    busy_delay_seconds: delay(300),
    no_answer_delay_seconds: delay(3600),
    failed_delay_seconds: delay(900),
  })
  .meta({ title: 'RetryPolicy' })
  .describe('Busy, no answer and failure are tried again after these delays, then final.');

export const contactInput = z
  .strictObject({
    phone: z.string().min(1).max(64).describe('E.164, or any usual notation; national numbers count as US.'),
    first_name: z.string().max(255).nullish(),
    last_name: z.string().max(255).nullish(),
    contact_data: z
      .record(z.string().min(1).max(128), z.unknown())
      .refine((value) => JSON.stringify(value).length <= 16_384, 'must not be over 16 KiB as JSON')
      .default({})
      .describe('Custom fields; each is a variable of the calls.'),
  })
  .meta({ id: 'CampaignContactCreate' });

export const campaignCreate = z
  .strictObject({
    name: campaignName,
    agent_id: uuid,
    caller_id: uuid
      .nullish()
      .describe(
        "A phone number's id. Without one: the number of the agent, or the tenant's first verified one.",
      ),
    contacts: z.array(contactInput).min(1).max(MAX_CONTACTS),
    outcome_labels: outcomeLabels.default([]),
    success_criteria: successCriteria.default(null),
    extraction_schema: extractionSchemaInput.default(null),
    max_concurrent: maxConcurrent.default(5),
    calls_per_minute: callsPerMinute.default(10),
    scheduled_start: timestampInput
      .nullable()
      .default(null)
      .describe('A start before this moment schedules the campaign.'),
    retry_policy: retryPolicy.prefault({}),
  })
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

export const campaignSummary = z
  .object({
    id: uuid,
    name: z.string(),
    agent_id: uuid,
    caller_id: uuid.nullable(),
    status: z.enum(CAMPAIGN_STATUSES),
    is_test: z.boolean().describe('Made with a sandbox key: it calls carrier test numbers only.'),
    outcome_labels: z.array(z.string()),
    success_criteria: z.string().nullable(),
    extraction_schema: z.record(z.string(), z.unknown()).nullable(),
    max_concurrent: z.number().int(),
    calls_per_minute: z.number().int(),
    retry_policy: retryPolicy,
    scheduled_start: timestamp.nullable(),
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
    total: count.optional().describe('Only where no cursor is used.'),
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
    phone: z.string().describe('E.164.'),
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
  .object({ contacts: z.array(contactResponse), total: count, has_more: z.boolean() })
  .meta({ id: 'CampaignContactListResponse' });

export const contactRescheduleRequest = z
  .strictObject({ next_retry_at: timestampInput.describe('Strictly in the future.') })
  .meta({ id: 'ContactRescheduleRequest' });
