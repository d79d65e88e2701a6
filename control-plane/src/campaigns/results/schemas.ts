import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { ANSWERED_MEANING } from '../../calls/record/answered.js';
import { totalFields } from '../../platform/http/totals.js';
import { timestamp } from '../timestamps.js';

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);

export const generateCriteriaRequest = z
  .strictObject({ goal: z.string().trim().min(1).max(4000).describe('What the campaign is for, in words.') })
  .meta({ id: 'GenerateCriteriaRequest' });

export const generateCriteriaResponse = z
  .object({
    outcome_labels: z.array(z.string()).describe('The first is the primary outcome.'),
    success_criteria: z.string(),
    extraction_schema: z.record(z.string(), z.unknown()),
    source: z.enum(['model', 'defaults']).describe('`defaults` when no model could answer.'),
  })
  .meta({ id: 'GenerateCriteriaResponse' });
export type GenerateCriteriaResponse = z.infer<typeof generateCriteriaResponse>;

export const campaignAnalytics = z
  .object({
    campaign_id: uuid,
    primary_outcome: z.string().nullable().describe('Null for a campaign without labels: completed counts.'),
    funnel: z.object({
      contacts: count,
      attempted: count.describe('Contacts that were called at least once.'),
      answered: count.describe(`Contacts one of whose calls was answered. ${ANSWERED_MEANING}`),
      completed: count.describe('Contacts one of whose calls was completed.'),
      primary_outcome: count.describe('Contacts one of whose completed calls came to the primary outcome.'),
    }),
    outcomes: z
      .array(z.object({ outcome: z.string(), count }))
      .describe(
        "Ended calls by outcome: a completed call's label (`completed` without one), else the call's status in " +
          'lower case.',
      ),
    metrics: z.object({
      total_calls: count,
      calls_by_status: z.record(z.string(), count),
      answer_rate: share.nullable().describe('Answered calls of those that are over; null without any.'),
      completion_rate: share.nullable().describe('Completed calls of those that are over; null without any.'),
      primary_outcome_rate: share
        .nullable()
        .describe(
          'Completed calls that came to the primary outcome, of the completed calls; null without any.',
        ),
      average_duration_seconds: z.number().nullable(),
      total_duration_seconds: z.number(),
      average_outcome_score: share.nullable(),
      average_attempts: z.number().nullable().describe('Calls per contact that was called.'),
    }),
    time_series: z.object({
      interval: z.enum(['hour', 'day']),
      points: z.array(
        z.object({ at: timestamp, calls: count, answered: count, completed: count, primary_outcome: count }),
      ),
    }),
  })
  .meta({ id: 'CampaignAnalytics' });
export type CampaignAnalytics = z.infer<typeof campaignAnalytics>;

export const insight = z.object({
  title: z.string().max(200),
  description: z.string().max(2000),
  recommendation: z.string().max(2000),
  severity: z.enum(['low', 'medium', 'high']),
  call_ids: z.array(z.string()).max(20).describe('Calls that show it.'),
});
export type Insight = z.infer<typeof insight>;

const insightsSource = z.enum(['language_model', 'statistics']);
export type InsightsSource = z.infer<typeof insightsSource>;

export const campaignInsights = z
  .object({
    campaign_id: uuid,
    insights: z.array(insight).describe('Empty while fewer than 20 analyses are complete.'),
    source: insightsSource
      .nullable()
      .describe(
        "`language_model`: written by the agent's model; `statistics`: counted, where the agent uses the " +
          'local model, which writes no prose. Null while there are none.',
      ),
    analyses: count.describe('Complete analyses at that time.'),
    generated_at: timestamp.nullable(),
  })
  .meta({ id: 'CampaignInsights' });
export type CampaignInsights = z.infer<typeof campaignInsights>;

const extractedRow = z
  .object({
    call_id: uuid,
    contact_id: uuid.nullable(),
    phone: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    started_at: timestamp,
    duration_seconds: z.number(),
    outcome: z.string().nullable(),
    outcome_score: z.number().nullable(),
    summary: z.string().nullable(),
    sentiment: z.string().nullable(),
    extracted_data: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'CampaignExtractedRow' });
export type ExtractedRow = z.infer<typeof extractedRow>;

export const extractedDataResponse = z
  .object({ data: z.array(extractedRow), ...totalFields, has_more: z.boolean() })
  .meta({ id: 'CampaignExtractedDataResponse' });
