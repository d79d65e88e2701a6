import { createHttpTool } from '@voice/shared/agent-tools/http-tool';
import { createMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { AgentDirectory } from '../calls/agent-directory.js';
import type { CallsService } from '../calls/calls-service.js';
import type { WebSocketCalls } from '../calls/web-socket-calls.js';
import type { Module, Platform } from '../http/module.js';
import type { ToolRuns } from '../integrations/tool-runs.js';
import type { LanguageModels } from '../language-model/language-models.js';
import { TestResults } from './results.js';
import { agentTestingRoutes } from './routes.js';
import { testSessionModel } from './session-model.js';
import { TextSessions } from './text-sessions.js';
import { VoiceSessions } from './voice-sessions.js';

export interface AgentTestingDeps {
  readonly platform: Platform;
  readonly agents: AgentDirectory;
  readonly languageModels: LanguageModels;
  readonly calls: Pick<CallsService, 'detail'>;
  readonly webSocketCalls: WebSocketCalls;
  readonly integrations: Pick<ToolRuns, 'try'>;
}

/** Trying an agent out: in text, and by voice without a carrier. */
export function createAgentTestingModule(deps: AgentTestingDeps): Module {
  const { platform, agents, languageModels, calls, webSocketCalls, integrations } = deps;
  const { store, clock, secrets, config } = platform;
  const log = platform.log.child({ module: 'agent-testing' });
  const sessions = testSessionModel(store);
  const policy = createAddressPolicy(config.egressAllow);
  const text = new TextSessions({
    sessions,
    agents,
    model: languageModels,
    http: createHttpTool({ policy, clock }),
    integrations:
      (tenant) =>
      ({ integration, action }, args) =>
        integrations.try(tenant, { integration, action, arguments: args }),
    openMcpTools: createMcpTools({ policy, clock }),
    secrets,
    clock,
    log,
  });
  const { internalSecret } = config;
  const voice = new VoiceSessions({ sessions, agents, webSocketCalls, internalSecret, clock });
  const results = new TestResults({
    sessions,
    agentOf: (row) => text.agentOf(row),
    calls,
    model: languageModels,
    clock,
    log,
  });
  return {
    name: 'agent-testing',
    routes: agentTestingRoutes({ text, voice, results }),
    async stop() {
      await text.stop();
      await results.settled();
    },
  };
}
