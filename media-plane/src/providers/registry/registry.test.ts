import { PROVIDER_CATALOGUE } from '@voice/shared/catalogue/providers';
import { systemClock } from '@voice/shared/clock/clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { createProviders } from './registry.js';

describe('the provider registry', () => {
  const providers = createProviders({ clock: systemClock, log: silentLog, egress: createAddressPolicy([]) });

  it('knows the cloud providers and the local ones', () => {
    expect(['deepgram', 'local'].map((name) => providers.stt(name).name)).toEqual(['deepgram', 'local']);
    expect(['openai', 'local'].map((name) => providers.llm(name).name)).toEqual(['openai', 'local']);
    expect(['elevenlabs', 'local'].map((name) => providers.tts(name).name)).toEqual(['elevenlabs', 'local']);
  });

  it.each(['stt', 'llm', 'tts'] as const)('runs of %s what the catalogue names, and nothing else', (kind) => {
    const inCatalogue = PROVIDER_CATALOGUE.filter((entry) => entry.kind === kind);
    for (const { name, defaultModel } of inCatalogue) {
      const { name: run, defaultModel: used = '' } = providers[kind](name);
      expect([run, used]).toEqual([name, defaultModel]);
    }
    const names = inCatalogue.map(({ name }) => name);
    expect(() => providers[kind]('nobody')).toThrow(new RegExp(`there are: ${names.join(', ')}$`));
  });

  it('names the ones that there are when asked for another', () => {
    expect(() => providers.stt('nobody')).toThrow(
      expect.objectContaining({
        code: 'stt_bad_request',
        retryable: false,
        message: "no stt provider is called 'nobody'; there are: deepgram, local",
      }),
    );
  });
});
