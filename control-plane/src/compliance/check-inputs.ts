import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { callingHours } from '../agents/calling-hours.js';
import type { GateInputs } from './decide.js';
import type { NumberRegion } from './number-region.js';

const region = z.object({
  is_test: z.boolean().describe('A carrier test number.'),
  state: z.string().nullable(),
  zones: z.array(z.string()),
});

/** What a decision was made from, as it is stored and returned. */
export const checkInputs = z.object({
  evaluated_at: z.iso.datetime(),
  callee: region,
  caller: region.nullable(),
  listed_by: z.array(z.enum(['tenant', 'operator'])).describe('The do-not-call lists that the number is on.'),
  calling_hours: callingHours.describe("The agent's; without an agent the default ones."),
  agent: z
    .object({
      id: uuid,
      disclosure: z.string().nullable(),
      language: z.string(),
      recording: z.object({ enabled: z.boolean(), announce: z.boolean() }),
    })
    .nullable(),
  live_calls: z.number().int(),
  max_concurrent_calls: z.number().int(),
});
export type CheckInputs = z.output<typeof checkInputs>;

/** Returns stored inputs without what was rendered for the person who is called. Pure. */
export function withoutPerson(inputs: string): string {
  const { agent, ...others } = JSON.parse(inputs) as CheckInputs;
  return JSON.stringify({ ...others, agent: agent && { ...agent, disclosure: null } });
}

const recordedRegion = ({ isTest, state, zones }: NumberRegion): CheckInputs['callee'] => ({
  is_test: isTest,
  state,
  zones: [...zones],
});

export function recordedInputs({ agent, callee, caller, ...inputs }: GateInputs): CheckInputs {
  return {
    evaluated_at: new Date(inputs.now).toISOString(),
    callee: recordedRegion(callee),
    caller: caller && recordedRegion(caller),
    listed_by: [...inputs.listedBy],
    calling_hours: inputs.callingHours,
    agent: agent && {
      id: agent.id,
      disclosure: agent.disclosure,
      language: agent.language,
      recording: { enabled: agent.recording.enabled, announce: agent.recording.announce },
    },
    live_calls: inputs.liveCalls,
    max_concurrent_calls: inputs.maxConcurrentCalls,
  };
}
