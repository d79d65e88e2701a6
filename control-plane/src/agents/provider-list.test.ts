import { newTenantId } from '@voice/shared/ids/ids';
import { expect, it } from 'vitest';
import type { Config } from '../config.js';
import type { LocalModels } from './provider-list.js';
import { AgentsScene } from './testing/agents-scene.js';

const scene = new AgentsScene();

it('lists the provider matrix, and which providers this installation uses by default', async () => {
  const answer = await scene.request('GET', '/api/v1/providers');
  const { providers } = answer.json as {
    providers: { kind: string; provider: string; is_default: boolean }[];
  };
  expect(
    providers.filter((entry) => entry.is_default).map((entry) => `${entry.kind} ${entry.provider}`),
  ).toEqual(['stt local', 'llm local', 'tts local', 'realtime openai']);
  expect(providers).toContainEqual(
    expect.objectContaining({
      kind: 'stt',
      provider: 'deepgram',
      models: ['nova-3', 'flux'],
      default_model: 'nova-3',
      configured: false,
      environment: ['DEEPGRAM_API_KEY', 'DEEPGRAM_URL'],
    }),
  );
});

it('lists which providers are configured here, and which models of this machine are in use', async () => {
  const shown = async (vendors: Partial<Config['vendors']>, models?: LocalModels) =>
    (await scene.service(vendors, models).providers(newTenantId())).providers.map(
      ({ kind, provider, configured, model_in_use, is_default }) => [
        `${kind} ${provider}`,
        configured,
        model_in_use,
        is_default,
      ],
    );
  expect(await shown({ gemini: { apiKey: 'k' } }, { stt: 'moonshine-tiny-en', tts: null })).toEqual([
    ['stt deepgram', false, null, false],
    ['stt assemblyai', false, null, false],
    ['stt openai', false, null, false],
    ['stt local', true, 'moonshine-tiny-en', true],
    ['llm openai', false, null, false],
    ['llm anthropic', false, null, false],
    ['llm local', true, null, true],
    ['tts elevenlabs', false, null, false],
    ['tts cartesia', false, null, false],
    ['tts deepgram', false, null, false],
    ['tts openai', false, null, false],
    ['tts local', true, null, true],
    ['realtime openai', false, null, false],
    ['realtime gemini', true, null, true],
  ]);
  const ownServer = await shown({ openai: { url: 'http://127.0.0.1:11434/v1' } });
  expect(ownServer).toContainEqual(['llm openai', true, null, true]);
  expect(ownServer).toContainEqual(['realtime openai', false, null, true]);
});

it('lists what the tenant can use by keys of its own, and whose account that is', async () => {
  const vendors = { openai: { apiKey: 'k' }, deepgram: { apiKey: 'k' } };
  const { providers } = await scene
    .service(vendors, undefined, ['deepgram', 'elevenlabs'])
    .providers(newTenantId());
  const shown = providers.map(({ kind, provider, configured, account, is_default }) =>
    [kind, provider, configured, account, is_default].join(' '),
  );
  expect(shown).toEqual(
    expect.arrayContaining([
      'stt deepgram true tenant true',
      'llm openai true installation true',
      'llm anthropic false  false',
      'tts elevenlabs true tenant true',
      'tts local true  false',
    ]),
  );
});
