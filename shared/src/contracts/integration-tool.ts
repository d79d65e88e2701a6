import { z } from 'zod';
import { uuid } from './primitives.js';

/** Where a worker asks the control plane, which has the tenant's tokens, to run an integration's action. */
export const INTEGRATION_TOOL_PATH = '/internal/tools/integration';

/** The same request again has the same outcome: the action is done once. */
export const integrationToolRequest = z.object({
  call_id: uuid,
  tool_call_id: z.string().min(1).max(256),
  integration: z.string().max(64),
  action: z.string().max(64),
  arguments: z.record(z.string(), z.unknown()),
});
export type IntegrationToolRequest = z.output<typeof integrationToolRequest>;

export const integrationToolOutcome = z.object({
  ok: z.boolean(),
  /** What the model gets to read. */
  result: z.string(),
});
export type IntegrationToolOutcome = z.output<typeof integrationToolOutcome>;
