import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { Module, Platform } from '../platform/module.js';
import { VendorHttp } from '../platform/vendor-http.js';
import { Connections } from './connections.js';
import { OAuthStates } from './oauth-states.js';
import { openRevocations } from './open-revocations.js';
import { Revocations } from './revocations.js';
import { integrationRoutes, integrationToolRoutes } from './routes.js';
import { Integrations } from './service.js';
import { type CallLookup, ToolRuns } from './tool-runs.js';

export interface IntegrationsModule extends Module {
  /** For the modules that run actions for agents. */
  readonly runs: ToolRuns;
  /** What each tenant has connected. */
  readonly connections: Pick<Integrations, 'list'>;
}

export interface IntegrationsModuleOptions {
  readonly platform: Platform;
  /** The call whose agent asks for an action. */
  readonly callOf: CallLookup;
}

/** Tenants' accounts at other services, and agents' tools that use them. */
export function createIntegrationsModule({
  platform,
  callOf,
}: IntegrationsModuleOptions): IntegrationsModule {
  const { store, clock, secrets, config, publicUrl } = platform;
  const log = platform.log.child({ module: 'integrations' });
  const integrations = new Integrations({
    settings: config.integrations,
    states: new OAuthStates({ store, clock, secrets, secretsKeys: config.secretsKeys }),
    http: new VendorHttp(createAddressPolicy(config.egressAllow)),
    clock,
    publicUrl,
    connections: (refresh) => new Connections({ store, clock, secrets, refresh }),
    revocations: (options) => new Revocations({ store, clock, secrets, log, ...options }),
  });
  const runs = new ToolRuns({ store, clock, secrets, integrations, callOf });
  return {
    name: 'integrations',
    routes: integrationRoutes(integrations, publicUrl),
    internalRoutes: integrationToolRoutes(runs),
    runs,
    connections: integrations,
    jobs: [openRevocations(integrations.revocations)],
  };
}
