import { pipelineType } from '@voice/shared/contracts/agent';
import { CALL_STATUSES, e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { turnTakingChange } from '../agents/schemas.js';
import { strictSchema } from '../agents/strict-schema.js';
import { voiceConfigInput } from '../agents/voice-config.js';
import { ANSWERED_MEANING } from '../calls/record/answered.js';
import { LATENCY_STAGES } from './latency/expected-latency.js';
import { LATENCY_SOURCES } from './latency/stage-figures.js';

const usd = z.number().describe('USD, with at most 6 decimals.');
const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);
const ms = z.number().nonnegative();

const callSums = {
  calls: count,
  answered: count.describe(ANSWERED_MEANING),
  completed: count,
  failed: count,
  duration_ms: ms,
  cost_usd: usd,
};
const callsByStatus = z
  .object(
    Object.fromEntries(CALL_STATUSES.map((status) => [status, count])) as Record<
      (typeof CALL_STATUSES)[number],
      typeof count
    >,
  )
  .meta({ id: 'CallsByStatus' });
const callRates = {
  answer_rate: share.nullable().describe('Answered calls of those that are over; null without any.'),
  completion_rate: share.nullable().describe('Completed calls of those that are over; null without any.'),
  average_duration_ms: ms.nullable().describe('Of answered calls that are over; null without any.'),
};
const live = count.describe('Of these calls, how many are not over yet.');

export const overviewResponse = z
  .object({
    sandbox: z.boolean().describe('Whether these are the calls of sandbox keys.'),
    period: z
      .object({ start: z.iso.date(), end: z.iso.date().describe('Inclusive.'), days: count })
      .describe('Calls that were created in these days, in UTC.'),
    totals: z.object({ ...callSums, live }),
    by_status: callsByStatus,
    by_day: z
      .array(z.object({ date: z.iso.date(), ...callSums }))
      .describe('Oldest first; days without calls too.'),
    ...callRates,
    response_latency_ms: z
      .object({ p50: ms.nullable(), p95: ms.nullable() })
      .describe(
        "From the end of the caller's speech to the agent's first sound, over the period's calls; at most 0.8 % too low.",
      ),
    primary_outcomes: z
      .array(
        z.object({
          outcome: z.string(),
          campaigns: count,
          calls: count,
          count: count.describe('Completed calls that came to this outcome.'),
        }),
      )
      .describe(
        "Campaigns' calls by the campaign's primary outcome: the first entry of its `outcome_labels`. A campaign " +
          'without labels counts under `Completed`, by its completed calls.',
      ),
    campaigns: z
      .array(
        z.object({
          campaign_id: uuid,
          name: z.string(),
          status: z.string(),
          primary_outcome: z.string(),
          calls: count,
          primary_outcome_count: count.describe('Completed calls that came to the primary outcome.'),
          primary_outcome_rate: share
            .nullable()
            .describe('`primary_outcome_count` of its completed calls; null without any.'),
        }),
      )
      .describe('The 100 campaigns with the most calls.'),
  })
  .meta({ id: 'OverviewResponse' });
export type OverviewResponse = z.infer<typeof overviewResponse>;

export const trendsQuery = z.object({
  start: z.iso
    .date()
    .optional()
    .describe('The first day, in UTC. By default 29 days before the last; at most 366 days in all.'),
  end: z.iso.date().optional().describe('The last day, in UTC, inclusive. By default today.'),
  bucket: z
    .enum(['day', 'week', 'month'])
    .default('day')
    .describe('What figures are summed up by. Weeks begin on Mondays.'),
});
export type TrendsQuery = z.infer<typeof trendsQuery>;

const latencyPercentiles = z
  .object({
    turns: count.describe('How many of the agents’ answers were measured.'),
    p50: ms.nullable(),
    p95: ms.nullable(),
    p99: ms.nullable(),
  })
  .meta({ id: 'LatencyPercentiles' })
  .describe(
    "From the end of the caller's speech to the agent's first sound, of the calls that ended then; at most 0.8 % " +
      'too low, null without any.',
  );

export const trendsResponse = z
  .object({
    sandbox: z.boolean().describe('Whether these are the calls of sandbox keys.'),
    period: z
      .object({
        start: z.iso.date(),
        end: z.iso.date().describe('Inclusive.'),
        days: count,
        bucket: z.enum(['day', 'week', 'month']).describe('What `buckets` are.'),
      })
      .describe('Calls that were created in these days, in UTC.'),
    totals: z.object({ ...callSums, live }),
    by_status: callsByStatus,
    ...callRates,
    response_latency_ms: latencyPercentiles,
    buckets: z
      .array(
        z.object({
          start: z.iso.date().describe('The first of its days that is in the period.'),
          end: z.iso.date().describe('The last of them.'),
          ...callSums,
          response_latency_ms: latencyPercentiles,
        }),
      )
      .describe('Oldest first; those without calls too.'),
    by_agent: z
      .array(
        z.object({
          agent_id: uuid.nullable().describe('Null of calls that came to no agent.'),
          name: z.string().nullable().describe('Null where the agent is not there any more.'),
          ...callSums,
        }),
      )
      .describe('The 100 agents whose calls cost the most, those first.'),
  })
  .meta({ id: 'TrendsResponse' });
export type TrendsResponse = z.infer<typeof trendsResponse>;

export const rollupCheckRequest = z.strictObject({ after: z.string().max(200), repair: z.boolean() });

export const rollupCheckResponse = z.object({
  checked: z
    .object({
      id: z.string(),
      tenant_id: z.string(),
      sandbox: z.boolean(),
      different: count.describe('Rows that differ from a full count.'),
      differences: z.array(
        z.object({
          subject: z.string(),
          subject_id: z.string(),
          day: z.number(),
          add: z.record(z.string(), z.number()),
        }),
      ),
    })
    .nullable(),
});

export const agentEstimateQuery = z.object({
  to_number: e164
    .optional()
    .describe('Who is called: it decides what the carrier charges. By default in the US.'),
});
export type AgentEstimateQuery = z.infer<typeof agentEstimateQuery>;

export const agentEstimateRequest = strictSchema(
  z.object({
    pipeline_type: pipelineType.optional().describe('Left out, that of the agent.'),
    voice_config: voiceConfigInput
      .prefault({})
      .describe('As in a change of the agent: what is left out is as the agent has it.'),
    turn_taking: turnTakingChange
      .optional()
      .describe('As in a change of the agent: what is left out is as the agent has it.'),
    to_number: agentEstimateQuery.shape.to_number,
  }),
).meta({ id: 'AgentEstimateRequest' });
export type AgentEstimateRequest = z.output<typeof agentEstimateRequest>;

const latencyPart = z
  .object({
    stage: z.enum(LATENCY_STAGES).describe('What of the answer it is, in the order of time.'),
    takes_ms: ms.nullable().describe('Null where nobody has said.'),
    adds_ms: ms.describe(
      'What of it the caller waits for: stages overlap, and an answer may be begun early.',
    ),
    source: z
      .enum(LATENCY_SOURCES)
      .describe(
        "`settings`: the agent's own. `own_calls`: measured in its calls. `platform`: measured by the maker of this " +
          "service. `vendor`: the vendor's word, without the network.",
      ),
    basis: z
      .string()
      .describe('Where it comes from, for people.')
      .meta({ examples: ['The median of 34 turns of this agent.'] }),
  })
  .meta({ id: 'LatencyPart' });

const expectedLatency = z
  .object({
    response_latency_ms: ms.describe(
      "From the end of the caller's speech to the agent's first sound, where the words sound finished; the median.",
    ),
    in_doubt_latency_ms: ms.describe(
      'The same where the longest pause (`max_endpointing_ms`) is waited for.',
    ),
    is_at_least: z
      .boolean()
      .describe("Whether it will be more: a part is not known, or is a vendor's figure without the network."),
    basis: z
      .enum(['measured', 'composed'])
      .describe(
        '`measured`: of its calls with these providers, models and turn-taking. `composed`: the sum of the parts.',
      ),
    turns: count.describe('Turns of its own calls, with these providers and models, that were looked at.'),
    parts: z.array(latencyPart).describe('The stages; what they add makes the composed sum.'),
  })
  .meta({ id: 'ExpectedLatency' })
  .describe(
    'How soon it answers with its turn-taking: endpointing, who finds the end of a turn, early answers.',
  );

export const agentEstimateResponse = z
  .object({
    agent_id: uuid,
    version: z.int().min(1).describe('The version of the agent that it is of.'),
    cost_per_minute: z
      .object({
        stt: usd,
        llm: usd.describe('Language models, and speech-to-speech ones.'),
        tts: usd,
        carrier: usd,
        service: usd,
        total: usd,
      })
      .meta({ id: 'CostPerMinute' })
      .describe('USD, of an outbound call in production.'),
    expected_latency: expectedLatency,
    measured: z
      .object({
        calls: count.describe('How many of its last 50 completed calls are charged.'),
        cost_per_minute: usd
          .nullable()
          .describe('Of those calls together; null where they cost nothing, as in the sandbox.'),
        response_latency_ms: z
          .object({ p50: ms.nullable(), p95: ms.nullable() })
          .meta({ id: 'MeasuredLatency' })
          .describe(
            "From the end of the caller's speech to the agent's first sound; null where it never answered.",
          ),
      })
      .meta({ id: 'MeasuredCalls' })
      .nullable()
      .describe('What its calls came to; null before the first.'),
  })
  .meta({ id: 'AgentEstimateResponse' });
export type AgentEstimateResponse = z.infer<typeof agentEstimateResponse>;
