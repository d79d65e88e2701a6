import type { AgentTool } from '@voice/shared/contracts/agent';
import { INTEGRATION_TOOL_PATH, integrationToolOutcome } from '@voice/shared/contracts/integration-tool';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { ControlPlaneClient } from './control-plane-client.js';

/** Which tool call of which call it is for: the control plane does each once. */
interface ToolCallName {
  readonly callId: string;
  readonly toolCallId: string;
}

/** Runs an action of an integration. Resolves with what the model gets to read; throws when it failed. */
export type IntegrationTool = (
  tool: Extract<AgentTool, { type: 'integration' }>,
  args: Readonly<Record<string, unknown>>,
  name: ToolCallName,
  signal: AbortSignal,
) => Promise<string>;

/** What one try may take, in ms. */
const TRY_MS = 12_000;
const TRIES = 2;

/** Asks the control plane to run the action with the tenant's tokens; it asks again when that was away. */
export function createIntegrationTool(client: Pick<ControlPlaneClient, 'send'>): IntegrationTool {
  return async (tool, args, { callId, toolCallId }, signal) => {
    const body = JSON.stringify({
      call_id: callId,
      tool_call_id: toolCallId,
      integration: tool.integration,
      action: tool.action,
      arguments: args,
    });
    for (let left = TRIES - 1; ; left--) {
      try {
        const answer = await client.send({
          method: 'POST',
          path: INTEGRATION_TOOL_PATH,
          contentType: 'application/json',
          body,
          timeoutMs: TRY_MS,
          // It is the vendor that takes long: everybody else's requests go on there.
          keepsReplica: true,
        });
        const { ok, result } = integrationToolOutcome.parse(answer);
        if (!ok) throw new Error(result);
        return result;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (!error.retryable || left <= 0 || signal.aborted) {
          throw new Error('The integration could not be used.', { cause: error });
        }
      }
    }
  };
}
