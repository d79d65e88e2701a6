import { explainedCall, explainedDecision } from '@voice/shared/contracts/decisions';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { type Route, reply, route } from '../../platform/http/route.js';
import type { CallDecisions } from './call-decisions.js';

const { step, at_ms, rule, known, outcome, today } = explainedDecision.shape;
const { truncated, steps, different } = explainedCall.shape;

const callDecision = z
  .object({
    step: step.describe('Its place among all decisions of the call.'),
    at_ms: at_ms.describe('Since the media stream began.'),
    rule: rule.describe(
      'Which rule it is of: `interruption` says why the agent was silenced, `end_of_turn` why it spoke.',
    ),
    known: known.describe('What was known at that moment, and what the rule says of it.').meta({
      examples: [
        'The caller had spoken for 450 ms and said “I” (1 word) while the agent spoke; 2 words, or fewer and 400 ms, are an interruption.',
      ],
    }),
    outcome: outcome
      .describe('What followed.')
      .meta({ examples: ['The agent falls silent; its answer is broken off.'] }),
    today: today
      .describe("What today's rules do instead, empty where that is nothing; null where they do the same.")
      .meta({ examples: [null] }),
  })
  .meta({ id: 'CallDecision' });

const callDecisionsResponse = z
  .object({
    call_id: uuid,
    decisions: z
      .array(callDecision)
      .describe('In their order, without those that led to nothing but timers; 2,000 at most.'),
    truncated: truncated.describe('Whether there are more.'),
    steps: steps.describe('All decisions of the call.'),
    different: different.describe(
      "How many of them today's rules take differently, timers counted. Those after the first may follow from it: what " +
        'happened then was caused by what was done.',
    ),
  })
  .meta({ id: 'CallDecisionsResponse' });

/** Declares the route of a call's decisions. */
export function callDecisionRoutes(decisions: CallDecisions): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/decisions',
      operationId: 'getCallDecisions',
      tag: 'Calls',
      summary: 'Why the agent spoke, waited or fell silent',
      description:
        "The call's decisions in plain words, each with what was known and the rule; and what today's rules would do " +
        'instead. Kept as long as the transcript; a call that goes on has none yet.',
      auth: 'tenant_in_mode',
      params: z.object({ call_id: uuid }),
      responses: { 200: { description: 'The decisions.', schema: callDecisionsResponse } },
      errors: [
        'call_not_found',
        'decision_log_not_found',
        'decision_log_unreadable',
        'storage_unavailable',
        'worker_unreachable',
      ],
      handler: async ({ scope, params: { call_id } }) =>
        reply(200, { call_id, ...(await decisions.of(scope, call_id)) }),
    }),
  ];
}
