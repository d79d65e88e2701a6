import { createHttpTool } from '@voice/shared/agent-tools/http-tool';
import { createMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { BillingModule } from '../billing/module.js';
import type { CallsService } from '../calls/calls-service.js';
import type { TesterCalls } from '../calls/outbound/tester-calls.js';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import type { ToolRuns } from '../integrations/tool-runs.js';
import type { LanguageModels } from '../language-model/language-models.js';
import type { Module, Platform } from '../platform/module.js';
import { TestResults } from './results.js';
import { agentTestingRoutes } from './routes.js';
import { testSessionModel } from './session-model.js';
import { TextSessions } from './text-sessions.js';
import { ToolTests } from './tool-tests.js';
import { VoiceSessions } from './voice-sessions.js';
import { WebRtcOffers } from './web-rtc-offers.js';

export interface AgentTestingOptions {
  readonly platform: Platform;
  readonly agents: AgentDirectory;
  readonly languageModels: LanguageModels;
  readonly calls: Pick<CallsService, 'detail' | 'require'>;
  readonly testerCalls: TesterCalls;
  readonly integrations: Pick<ToolRuns, 'try'>;
  readonly billing: Pick<BillingModule, 'admit' | 'chargeTextSession'>;
}

/** Trying an agent out: in text, and by voice without a carrier. */
export function createAgentTestingModule(options: AgentTestingOptions): Module {
  const { platform, agents, languageModels, calls, testerCalls, integrations, billing } = options;
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
      (scope) =>
      ({ integration, action }, args) =>
        integrations.try(scope, { integration, action, arguments: args }),
    openMcpTools: createMcpTools({ policy, clock }),
    admitSpending: (scope) => billing.admit(scope),
    charge: (scope, used) => billing.chargeTextSession(scope, used),
    vendors: config.vendors,
    secrets,
    clock,
    log,
  });
  const { internalSecret, ice } = config;
  const publicUrl = () => platform.publicUrl();
  const voice = new VoiceSessions({
    sessions,
    agents,
    testerCalls,
    internalSecret,
    publicUrl,
    ice,
    clock,
  });
  const offers = new WebRtcOffers({ sessions, testerCalls, ice, clock });
  const results = new TestResults({
    sessions,
    agentOf: (row) => text.agentOf(row),
    calls,
    model: languageModels,
    charge: (scope, used) => billing.chargeTextSession(scope, used),
    clock,
    log,
  });
  return {
    name: 'agent-testing',
    routes: agentTestingRoutes({
      text,
      tools: new ToolTests({ agents, policy, clock }),
      voice,
      offers,
      results,
    }),
    async stop() {
      await text.stop();
      await results.settled();
    },
  };
}
