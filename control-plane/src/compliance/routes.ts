import { e164, uuid } from '@voice/shared/contracts/primitives';
import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import { queryCursor, queryInt, queryOffset } from '../platform/http/query.js';
import { type Route, reply, route } from '../platform/http/route.js';
import { queryIncludeTotal, totalFields } from '../platform/http/totals.js';
import { type CheckInputs, checkInputs } from './check-inputs.js';
import type { GateAgent } from './decide.js';
import type { ComplianceGate } from './gate.js';
import type { ComplianceCheckDocument } from './model.js';
import { RECORDING_DIRECTIVES } from './recording-consent.js';
import type { StoredChecks } from './stored-checks.js';

const tag = 'Compliance';

const checkResult = z.object({
  outcome: z
    .enum(['passed', 'failed', 'not_evaluated'])
    .describe('`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed.'),
  reason: z.string().nullable(),
});

const complianceCheckRequest = z
  .strictObject({
    to_number: e164.describe('The number that would be called.'),
    from_number: e164.optional().describe('Binds the check to this caller ID.'),
    agent_id: uuid
      .optional()
      .describe(
        'Judges the call of this agent: its calling hours, disclosure and recording. Without one, the number ' +
          'alone is judged, by the default hours (08:00 to 21:00).',
      ),
  })
  .meta({ id: 'ComplianceCheckRequest' });

const complianceCheckResponse = z
  .object({
    id: uuid,
    decision: z.enum(['allowed', 'denied']),
    reasons: z
      .array(z.string())
      .describe(
        '`do_not_call`; `outside_calling_hours` (see `next_open_at`); `no_calling_hours`: the agent has none; ' +
          '`region_unknown`: no hour is good in all places where the number may be; `concurrent_calls_limit`; `disclosure_missing`; `disclosure_names_no_ai`.',
      ),
    checks: z.object({
      dnc: checkResult,
      calling_hours: checkResult,
      recording_consent: checkResult,
      capacity: checkResult,
      disclosure: checkResult,
    }),
    to_number: e164.nullable().describe('Null once its call is erased.'),
    from_number: e164.nullable(),
    agent_id: uuid.nullable(),
    state: z
      .string()
      .nullable()
      .describe('US state by the area code; null outside of the US and where the number does not show it.'),
    timezone: z.string().nullable().describe("The callee's, where it is one for sure."),
    timezones: z
      .array(z.string())
      .describe('Every zone in which the callee may be. The hours must be open in all of them.'),
    requires_two_party_consent: z
      .boolean()
      .nullable()
      .describe('Whether everybody must consent to a recording; true where the state is not known.'),
    recording: z
      .enum(RECORDING_DIRECTIVES)
      .nullable()
      .describe('What that makes of the recording of the call; null without an agent.'),
    next_open_at: z.iso.datetime().nullable().describe('Outside of calling hours: when they open next.'),
    inputs: checkInputs.describe('What the decision was made from.'),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'ComplianceCheckResponse' });

const complianceCheckSummary = complianceCheckResponse
  .omit({ inputs: true })
  .meta({ id: 'ComplianceCheckSummary' });

const complianceCheckList = z
  .object({
    checks: z.array(complianceCheckSummary),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'ComplianceCheckListResponse' });

function summarise(check: ComplianceCheckDocument): z.infer<typeof complianceCheckSummary> {
  return {
    id: check._id,
    decision: check.decision,
    reasons: check.reasons,
    checks: check.checks,
    to_number: check.to_number || null,
    from_number: check.from_number,
    agent_id: check.agent_id,
    state: check.state,
    timezone: check.timezone,
    timezones: check.timezones,
    requires_two_party_consent: check.requires_two_party_consent,
    recording: check.recording,
    next_open_at: check.next_open_at?.toISOString() ?? null,
    checked_at: check.created_at.toISOString(),
  };
}

function present(check: ComplianceCheckDocument): z.infer<typeof complianceCheckResponse> {
  return { ...summarise(check), inputs: JSON.parse(check.inputs) as CheckInputs };
}

/** The agent as the gate judges it. Throws `agent_not_found`. */
export type AgentOf = (tenant: TenantId, agentId: string) => Promise<GateAgent>;

export function complianceRoutes(options: {
  readonly gate: ComplianceGate;
  readonly checks: StoredChecks;
  readonly agentOf: AgentOf;
}): Route[] {
  const { gate, checks, agentOf } = options;
  return [
    route({
      method: 'post',
      path: '/api/v1/compliance/check',
      operationId: 'checkCompliance',
      tag,
      summary: 'Check a number',
      description:
        'Runs the gate and stores what it decided; no call is placed. An allowed check may be named by a call ' +
        'to the same number within 15 minutes. Carrier test numbers ring nobody: they have no state, time zone ' +
        'or consent to ask for, and may be called at any hour unless the agent names the zone of its hours.',
      auth: 'tenant_in_mode',
      body: complianceCheckRequest,
      responses: { 200: { description: 'What the gate decided.', schema: complianceCheckResponse } },
      errors: ['agent_not_found'],
      handler: async ({ scope, body }) => {
        const check = await gate.check(scope, {
          fromNumber: body.from_number ?? null,
          toNumber: body.to_number,
          agent: body.agent_id === undefined ? null : await agentOf(scope.tenant, body.agent_id),
        });
        return reply(200, present(check));
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/compliance/checks',
      operationId: 'listComplianceChecks',
      tag,
      summary: 'List the stored checks',
      description: 'What each was decided from is in the check itself (`GET /compliance/checks/{check_id}`).',
      auth: 'tenant_in_mode',
      query: z.object({
        offset: queryOffset,
        limit: queryInt({ min: 1, max: 100, default: 50 }),
        cursor: queryCursor,
        decision: z.enum(['allowed', 'denied']).optional().describe('Only what was decided so.'),
        reason: z
          .string()
          .max(64)
          .optional()
          .describe('Only what was denied for this, such as `do_not_call`; `decision` does not count then.'),
        to_number: e164.optional().describe('Only checks of this number. Write the plus as `%2B`.'),
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'A page of checks, newest first.', schema: complianceCheckList } },
      errors: ['invalid_cursor'],
      handler: async ({ scope, query }) => {
        const { rows, ...page } = await checks.list(scope, query);
        return reply(200, { checks: rows.map(summarise), ...page });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/compliance/checks/{check_id}',
      operationId: 'getComplianceCheck',
      tag,
      summary: 'Get a stored check',
      description: 'Every call has one, and so has every call that was refused.',
      auth: 'tenant_in_mode',
      params: z.object({ check_id: uuid }),
      responses: { 200: { description: 'The check.', schema: complianceCheckResponse } },
      errors: ['compliance_check_not_found'],
      handler: async ({ scope, params }) => reply(200, present(await gate.find(scope, params.check_id))),
    }),
  ];
}
