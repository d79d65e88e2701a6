import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { thawAgent } from '../calls/record/frozen-agent.js';
import { callModel } from '../calls/record/model.js';
import { Jobs } from '../platform/jobs/jobs.js';
import type { Module, Platform } from '../platform/module.js';
import { scopeOf } from '../platform/store/tenant-scope.js';
import { Connections } from './connections.js';
import { OAuthStates } from './oauth-states.js';
import { openRevocations } from './open-revocations.js';
import { Revocations } from './revocations.js';
import { integrationRoutes, integrationToolRoutes } from './routes.js';
import { Integrations } from './service.js';
import { ToolRuns } from './tool-runs.js';
import { VendorHttp } from './vendor-http.js';

export interface IntegrationsModule extends Module {
  /** For whoever runs actions for agents. */
  readonly runs: ToolRuns;
  /** What each tenant has connected. */
  readonly connections: Pick<Integrations, 'list'>;
}

/** Tenants' accounts at other services, and agents' tools that use them. */
export function createIntegrationsModule(platform: Platform): IntegrationsModule {
  const { store, clock, secrets, config, publicUrl } = platform;
  const log = platform.log.child({ module: 'integrations' });
  const integrations = new Integrations({
    settings: config.integrations,
    states: new OAuthStates({ store, clock, secrets, secretsKey: config.secretsKey }),
    http: new VendorHttp(createAddressPolicy(config.egressAllow)),
    clock,
    publicUrl,
    connections: (refresh) => new Connections({ store, clock, secrets, refresh }),
    revocations: (deps) => new Revocations({ store, clock, secrets, log, ...deps }),
  });
  const calls = callModel(store);
  const runs = new ToolRuns({
    store,
    clock,
    secrets,
    integrations,
    async callOf(callId) {
      const call = await calls.findById(callId).lean().exec();
      return call && { ...scopeOf(call), agent: thawAgent(secrets, call) };
    },
  });
  const jobs = new Jobs({ store, jobs: [openRevocations(integrations.revocations)], log });
  return {
    name: 'integrations',
    routes: integrationRoutes(integrations, publicUrl),
    internalRoutes: integrationToolRoutes(runs),
    runs,
    connections: integrations,
    start: () => jobs.start(),
    stop: () => jobs.stop(),
  };
}
