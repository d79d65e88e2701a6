import { PCMU_8K } from '@voice/shared/audio/format';
import {
  type CatalogueProvider,
  PROVIDER_CATALOGUE,
  PROVIDER_KINDS,
  providerNames,
} from '@voice/shared/catalogue/providers';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, describe, expect, it } from 'vitest';
import { ProviderError } from '../provider-error.js';
import { createProviders } from './registry.js';

const clock = new ScriptedClock();
const providers = createProviders({ clock, log: silentLog, egress: createAddressPolicy([]) });
afterAll(() => providers.close());

/** Nobody listens there. */
const CREDENTIALS = { api_key: 'key', base_url: 'http://127.0.0.1:9' };

/** Begins what a call would begin with the provider, and ends it: what it would fail with at once. */
async function failureOf({ kind, name }: CatalogueProvider, model: string): Promise<unknown> {
  const choice = { provider: name, model, params: {} };
  const common = {
    choice,
    credentials: CREDENTIALS,
    format: PCMU_8K,
    language: 'en-US',
    clock,
    log: silentLog,
  };
  let failure: unknown;
  const onEvent = (event: { readonly type: string; readonly error?: unknown }) => {
    if (event.type === 'failed') failure = event.error;
  };
  const end = async (session: { write(frame: Uint8Array): void; close(): void }) => {
    session.write(new Uint8Array(160));
    clock.advance(1);
    await Promise.resolve();
    session.close();
  };
  switch (kind) {
    case 'stt':
      await end(providers.stt(name).open({ ...common, endpointingMs: 300, onEvent }));
      return failure;
    case 'llm': {
      // Broken off before anything is sent, and after all that is read of the choice.
      const stop = new Error('stop');
      const request = { choice, credentials: CREDENTIALS, messages: [], tools: [] };
      try {
        const answer = providers.llm(name).generate(request, AbortSignal.abort(stop));
        await answer[Symbol.asyncIterator]().next();
      } catch (error) {
        return error instanceof ProviderError && /_(bad_request|unauthorized)$/.test(error.code)
          ? error
          : undefined;
      }
      return undefined;
    }
    case 'tts':
      providers.tts(name).open(common).close();
      return undefined;
    case 'realtime': {
      const rest = { instructions: '', tools: [], turnDetection: 'ours', history: [] } as const;
      await end(providers.realtime(name).open({ ...common, ...rest, onEvent }));
      return failure;
    }
  }
}

describe('the provider registry', () => {
  const models = PROVIDER_CATALOGUE.flatMap((entry) =>
    ['', ...entry.models.map(({ family }) => family)].map(
      (model) => [entry.kind, entry.name, model] as const,
    ),
  );

  it.each(models)('builds the %s provider %s of the catalogue, model "%s"', async (kind, name, model) => {
    const entry = PROVIDER_CATALOGUE.find((one) => one.kind === kind && one.name === name)!;
    expect(await failureOf(entry, model)).toBeUndefined();
  });

  it.each(PROVIDER_CATALOGUE.map((entry) => [entry.kind, entry.name, entry.defaultModel] as const))(
    'takes for the %s provider %s without a model what the catalogue says: "%s"',
    (kind, name, model) => {
      const { name: built, defaultModel = '' } = providers[kind](name);
      expect([built, defaultModel]).toEqual([name, model]);
    },
  );

  it.each(PROVIDER_KINDS)('has no %s adapter without an entry in the catalogue', (kind) => {
    expect(providers.names(kind).sort()).toEqual(providerNames(kind).sort());
  });

  it.each(PROVIDER_KINDS)('names the %s providers that there are when asked for another', (kind) => {
    for (const other of ['nobody', 'constructor']) {
      expect(() => providers[kind](other)).toThrow(
        expect.objectContaining({
          code: `${kind}_bad_request`,
          retryable: false,
          message: `no ${kind} provider is called '${other}'; there are: ${providerNames(kind).join(', ')}`,
        }),
      );
    }
  });
});
