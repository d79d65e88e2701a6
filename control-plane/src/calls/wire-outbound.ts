import type { Log } from '@voice/shared/log/log';
import type { ComplianceModule } from '../compliance/module.js';
import type { Platform } from '../platform/module.js';
import type { Carriers } from '../telephony/carriers/carriers.js';
import type { PhonesModule } from '../telephony/phones/module.js';
import type { AccountsOf } from '../vendors/keys/service.js';
import type { WorkersModule } from '../workers/module.js';
import type { CallEnding } from './ending/call-ending.js';
import { CreateCall } from './outbound/create-call.js';
import { Dispatcher } from './outbound/dispatcher.js';
import { TestCallLimit, TestCalls } from './outbound/test-calls.js';
import { TesterCalls } from './outbound/tester-calls.js';
import type { AgentDirectory } from './plan/agent-directory.js';
import type { CallBilling } from './plan/call-billing.js';
import type { CallMetrics } from './record/call-metrics.js';
import type { CallRecords } from './record/records.js';

export interface OutboundWiringOptions {
  readonly platform: Platform;
  readonly calls: CallRecords['calls'];
  readonly agents: AgentDirectory;
  readonly phones: PhonesModule['phones'];
  readonly gate: ComplianceModule['gate'];
  readonly carriers: Carriers;
  readonly workers: Pick<WorkersModule, 'registry' | 'client' | 'placement'>;
  readonly ending: CallEnding;
  readonly accounts: AccountsOf;
  readonly billing: CallBilling;
  readonly metrics: CallMetrics;
  readonly log: Log;
}

export interface OutboundParts {
  readonly dispatcher: Dispatcher;
  readonly createCall: CreateCall;
  readonly testCalls: TestCalls;
  readonly testerCalls: TesterCalls;
}

/** Wires what makes calls: requests, their dispatch, and test calls. */
export function wireOutbound({
  platform,
  calls,
  agents,
  phones,
  gate,
  carriers,
  workers: { registry, client, placement },
  ending,
  accounts,
  billing,
  metrics,
  log,
}: OutboundWiringOptions): OutboundParts {
  const { store, clock, config, secrets, tracer } = platform;
  const { vendors } = config;
  const dispatcher = new Dispatcher({
    calls,
    gate,
    carriers,
    placement,
    ending,
    secrets,
    accounts,
    publicUrl: () => platform.publicUrl(),
    tracer,
    clock,
    metrics,
    log,
  });
  const createCall = new CreateCall({
    calls,
    admitSpending: billing.admit,
    minuteHold: billing.minuteHold,
    agents,
    phones,
    gate,
    carriers,
    dispatcher,
    secrets,
    vendors,
    clock,
    log,
  });
  return {
    dispatcher,
    createCall,
    testCalls: new TestCalls({ createCall, phones, limit: new TestCallLimit(store, clock) }),
    testerCalls: new TesterCalls({
      calls,
      admitSpending: (scope) => billing.admit(scope),
      registry,
      client,
      placement,
      secrets,
      vendors,
      accounts,
      clock,
    }),
  };
}
