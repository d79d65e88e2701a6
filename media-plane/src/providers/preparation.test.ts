import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { LanguageModel, LlmTarget } from './llm/port.js';
import { createPreparation } from './preparation.js';
import { ProviderError } from './provider-error.js';
import type { Providers } from './registry/registry.js';
import { CircuitBreakers } from './resilience/circuit-breakers.js';
import { DEFAULT_ANSWER_LIMITS } from './resilience/limits.js';
import { protectProviders } from './resilience/protect.js';

const choice = (provider: string) => ({ provider, model: '', params: {} });

/** Providers that keep what they were asked to open, under a call's whole protection. */
function protectedCall(unreachable: readonly string[] = []) {
  const clock = new ScriptedClock();
  const log: string[] = [];
  const model = (name: string): LanguageModel => ({
    name,
    generate: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('not asked')) }),
    }),
    prepare: ({ choice: { provider }, credentials }: LlmTarget) => {
      log.push(`prepare ${provider} with ${credentials.api_key}`);
      const error = new ProviderError({
        provider,
        kind: 'llm',
        code: 'unavailable',
        message: 'down',
        retryable: true,
      });
      const ready = unreachable.includes(name) ? Promise.reject(error) : Promise.resolve();
      return createPreparation(ready, () => log.push(`release ${provider}`));
    },
  });
  const providers: Providers = {
    llm: model,
    stt: (name) => ({
      name,
      open: () => {
        log.push(`open ${name}`);
        return {
          audioMs: 0,
          write() {},
          voiceActivity() {},
          finalize() {},
          close: () => log.push(`close ${name}`),
        };
      },
    }),
    tts: (name) => ({
      name,
      open: () => {
        log.push(`open ${name}`);
        return { characters: 0, speak: async function* () {}, close: () => log.push(`close ${name}`) };
      },
    }),
    realtime: () => {
      throw new Error('there is none');
    },
    close: async () => {},
  };
  const breakers = new CircuitBreakers(clock);
  const call = protectProviders({
    providers,
    choices: { stt: choice('recogniser'), llm: choice('first'), tts: choice('voice') },
    fallbacks: { llm: choice('second') },
    credentials: { first: { api_key: 'a' }, second: { api_key: 'b' } },
    tenant: 'tenant',
    breakers,
    limits: DEFAULT_ANSWER_LIMITS,
    clock,
    onNotice: () => {},
  });
  return { call, log, clock, breakers };
}

describe('preparing through everything that is wrapped around a provider', () => {
  it('reaches the model and its fallback, each with its own credentials, and releases both', () => {
    const { call, log } = protectedCall();
    const preparation = call.languageModel.prepare!({
      choice: choice('first'),
      credentials: { api_key: 'a' },
    });
    expect(log).toEqual(['prepare first with a', 'prepare second with b']);
    preparation.release();
    expect(log.slice(2)).toEqual(['release first', 'release second']);
  });

  it('opens recogniser and voice at once', () => {
    const { call, log, clock } = protectedCall();
    const options = { credentials: {}, format: PCMU_8K, language: 'en', clock, log: silentLog };
    const session = call.speechToText.open({
      ...options,
      choice: choice('recogniser'),
      endpointingMs: 200,
      onEvent: () => {},
    });
    const voice = call.textToSpeech.open({ ...options, choice: choice('voice') });
    expect(log).toEqual(['open recogniser', 'open voice']);
    session.close();
    voice.close();
    expect(log.slice(2)).toEqual(['close recogniser', 'close voice']);
  });

  it('reports a model that cannot be reached to its breaker, and one that can to none', async () => {
    const { call, breakers } = protectedCall(['first']);
    const { ready } = call.languageModel.prepare!({ choice: choice('first'), credentials: {} });
    await expect(ready).rejects.toMatchObject({ code: 'llm_unavailable' });
    expect(breakers.find('llm', choice('first')).results).toEqual({ ok: 0, slow: 0, failed: 1 });
    expect(breakers.find('llm', choice('second')).results).toEqual({ ok: 0, slow: 0, failed: 0 });
  });
});
