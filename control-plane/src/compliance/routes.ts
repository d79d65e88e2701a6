import { e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { type Route, reply, route } from '../http/route.js';
import type { ComplianceGate } from './gate.js';
import type { ComplianceCheckDocument } from './model.js';

const checkResult = z.object({
  outcome: z
    .enum(['passed', 'failed', 'not_evaluated'])
    .describe('`not_evaluated`: nobody looked; it counts neither as passed nor as failed.'),
  reason: z.string().nullable(),
});

export const complianceCheckRequest = z
  .strictObject({
    to_number: e164.describe('The number that would be called.'),
    from_number: e164.optional().describe('Binds the check to this caller ID.'),
  })
  .meta({ id: 'ComplianceCheckRequest' });

export const complianceCheckResponse = z
  .object({
    id: uuid,
    decision: z.enum(['allowed', 'denied']),
    reasons: z.array(z.string()),
    checks: z.object({
      dnc: checkResult,
      calling_hours: checkResult,
      recording_consent: checkResult,
      capacity: checkResult,
      disclosure: checkResult,
    }),
    to_number: e164,
    from_number: e164.nullable(),
    agent_id: uuid.nullable(),
    state: z.string().nullable(),
    timezone: z.string().nullable(),
    requires_two_party_consent: z.boolean().nullable(),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'ComplianceCheckResponse' });

function present(check: ComplianceCheckDocument): z.infer<typeof complianceCheckResponse> {
  return {
    id: check._id,
    decision: check.decision,
    reasons: check.reasons,
    checks: check.checks,
    to_number: check.to_number,
    from_number: check.from_number,
    agent_id: check.agent_id,
    state: check.state,
    timezone: check.timezone,
    requires_two_party_consent: check.requires_two_party_consent,
    checked_at: check.created_at.toISOString(),
  };
}

export function complianceRoutes(gate: ComplianceGate): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/compliance/check',
      operationId: 'checkCompliance',
      tag: 'Compliance',
      summary: 'Check a number',
      description: 'Runs the gate and stores what it decided; no call is placed.',
      auth: 'api_key',
      body: complianceCheckRequest,
      responses: { 200: { description: 'What the gate decided.', schema: complianceCheckResponse } },
      handler: async ({ tenant, body }) =>
        reply(
          200,
          present(
            await gate.check(tenant, {
              fromNumber: body.from_number ?? null,
              toNumber: body.to_number,
              agent: null,
            }),
          ),
        ),
    }),
  ];
}
