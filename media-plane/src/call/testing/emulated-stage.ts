import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { vi } from 'vitest';
import { CascadedConversation } from '../../conversation/cascaded.js';
import { createProviders, type ProviderRegistry } from '../../providers/registry/registry.js';
import { CircuitBreakers } from '../../providers/resilience/circuit-breakers.js';
import { DEFAULT_ANSWER_LIMITS } from '../../providers/resilience/limits.js';
import { describeNotice } from '../../providers/resilience/notice.js';
import { type ProtectedProviders, protectProviders } from '../../providers/resilience/protect.js';
import { CallStage } from '../../testing/call-stage.js';

export interface EmulatedScene {
  readonly plan: CallPlan;
  /** Returns what is scripted and not asked of a vendor. */
  readonly scripted: (stage: CallStage) => Partial<ProtectedProviders>;
  /** Returns the worker's breakers, for calls that share them; by default the call has its own. */
  readonly breakers?: (clock: Clock) => CircuitBreakers;
}

/**
 * Runs a live call whose providers are the real adapters, against emulators that fail on command. Time is scripted: the
 * network is waited for, seconds are not.
 */
export class EmulatedStage extends CallStage {
  readonly #providers: ProviderRegistry;

  constructor({ plan, scripted, breakers = (clock) => new CircuitBreakers(clock) }: EmulatedScene) {
    const made: { providers?: ProviderRegistry } = {};
    super({
      plan,
      turnDeadlineMs: DEFAULT_ANSWER_LIMITS.turnMs,
      createConversation: (stage, { notice }) => {
        const { clock, recogniser } = stage;
        const { voice_config: choices, fallback_voice_config: fallbacks } = plan.agent;
        if (!('stt' in choices)) throw new Error('An emulated stage runs the cascade');
        const egress = createAddressPolicy(['127.0.0.0/8']);
        made.providers = createProviders({ clock, log: silentLog, egress });
        const providers = protectProviders({
          providers: made.providers,
          choices,
          fallbacks,
          credentials: plan.credentials,
          tenant: plan.tenant_id,
          breakers: breakers(clock),
          limits: DEFAULT_ANSWER_LIMITS,
          clock,
          onNotice: (taken) => notice(taken.code, describeNotice(taken)),
        });
        return new CascadedConversation({
          plan,
          choices,
          detector: recogniser.detector,
          endOfTurn: undefined,
          clock,
          log: silentLog,
          providers: { ...providers, ...scripted(stage) },
        });
      },
    });
    this.#providers = made.providers!;
  }

  /** Lets the network, and nothing else, take its time until the condition holds. */
  async settled(condition: () => boolean): Promise<void> {
    await vi.waitUntil(condition, { timeout: 60_000, interval: 2 });
  }

  /** Returns the codes of the notices in the call's timeline. */
  notices(): string[] {
    return this.of('notice').map(({ code }) => code);
  }

  async close(): Promise<void> {
    if (!this.over) this.call.end('operator_hangup');
    await this.#providers.close();
  }
}
