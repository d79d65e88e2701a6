import type { Module, Platform } from '../platform/module.js';
import type { AccountsOf } from '../vendors/keys/service.js';
import { createLanguageModels, type LanguageModels } from './language-models.js';
import { meteredLanguageModels } from './metered.js';
import { CallTokens } from './proxy/call-token.js';
import { type ProxiablePlan, proxiedPlan } from './proxy/proxied-plan.js';
import { type LiveCall, llmProxyRoute, proxyUrl } from './proxy/routes.js';
import { ProxiedUsage, proxiedUsageModel } from './proxy/usage-model.js';

export interface LanguageModelModule extends Module {
  readonly models: LanguageModels;
  /** What workers used through the proxy, by call. */
  readonly proxiedUsage: ProxiedUsage;
  /** Puts the proxy in the place of the platform's key; undefined where workers get the key itself. */
  readonly preparePlan: (<P extends ProxiablePlan>(plan: P) => P) | undefined;
}

export interface LanguageModelModuleOptions {
  readonly platform: Platform;
  readonly liveCall: LiveCall;
  /** How vendors are reached on a tenant's accounts. */
  readonly accounts: AccountsOf;
}

/** Wires language models: for this service's own questions, and for workers by a proxy that keeps the key here. */
export function createLanguageModelModule({
  platform,
  liveCall,
  accounts,
}: LanguageModelModuleOptions): LanguageModelModule {
  const { store, clock, config } = platform;
  const tokens = new CallTokens(config.secretsKeys);
  const proxiedUsage = new ProxiedUsage(proxiedUsageModel(store));
  return {
    name: 'language-model',
    internalRoutes: [
      llmProxyRoute({ tokens, liveCall, usage: proxiedUsage, vendor: config.vendors.openai, clock }),
    ],
    models: meteredLanguageModels(createLanguageModels(config, accounts), platform.metrics),
    proxiedUsage,
    preparePlan: config.llmProxy
      ? (plan) => proxiedPlan(plan, { tokens, url: proxyUrl(platform.internalUrl()), now: clock.now() })
      : undefined,
  };
}
