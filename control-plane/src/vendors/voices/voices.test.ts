import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type CartesiaEmulator,
  startCartesiaEmulator,
} from '../../../../loadtest/emulators/cartesia/server.js';
import {
  type DeepgramEmulator,
  startDeepgramEmulator,
} from '../../../../loadtest/emulators/deepgram/server.js';
import {
  type ElevenLabsEmulator,
  startElevenLabsEmulator,
} from '../../../../loadtest/emulators/elevenlabs/server.js';
import type { VendorAccess } from '../../config.js';
import { VendorFailure, VendorHttp, type VendorRequest } from '../../platform/vendor-http.js';
import { fetchPreview } from './preview.js';
import type { Catalogue } from './sdk/messages.js';
import { SdkCatalogues } from './sdk/sdk-catalogues.js';
import { cartesiaVoices } from './vendor-voices.js';
import { filterVoices } from './voice.js';
import { VOICE_PROVIDERS, Voices } from './voices.js';

const KEY = 'the-key-of-the-account';
const GUARD = createAddressPolicy([]);
const tenant = newTenantId();

let elevenLabs: ElevenLabsEmulator;
let deepgram: DeepgramEmulator;
let cartesia: CartesiaEmulator;
beforeAll(async () => {
  const apiKeys = [KEY];
  [elevenLabs, deepgram, cartesia] = await Promise.all([
    startElevenLabsEmulator({ apiKeys, clonedVoices: 120 }),
    startDeepgramEmulator({ apiKeys }),
    startCartesiaEmulator({ apiKeys }),
  ]);
});
afterAll(() => Promise.all([elevenLabs?.close(), deepgram?.close(), cartesia?.close()]));

/** The pages that the vendors' SDKs gave: each is loaded once here, since that takes up to a second. */
const readBySdk = new Map<string, { pages: Promise<readonly unknown[]>; sent: VendorRequest[] }>();
function readOnce(catalogue: Catalogue) {
  const key = JSON.stringify(catalogue);
  const known = readBySdk.get(key);
  if (known) return known;
  const requests: VendorRequest[] = [];
  const http = new VendorHttp(GUARD);
  const sdks = new SdkCatalogues({
    http: {
      send(request, trusted, signal) {
        requests.push(request);
        return http.send(request, trusted, signal);
      },
    },
  });
  const reading = { pages: sdks.read(catalogue), sent: requests };
  readBySdk.set(key, reading);
  return reading;
}

let clock: ScriptedClock;
let accounts: Record<string, VendorAccess>;
/** Requests that vendors were sent. */
let sent: VendorRequest[];
let away: boolean;
let voices: Voices;
beforeEach(() => {
  clock = new ScriptedClock();
  sent = [];
  away = false;
  accounts = {
    elevenlabs: { apiKey: KEY, url: elevenLabs.url },
    deepgram: { apiKey: KEY, url: deepgram.url.replace('http', 'ws') },
    cartesia: { apiKey: KEY, url: cartesia.url },
  };
  const http = new VendorHttp(GUARD);
  const answerUnlessAway = () => {
    if (away) throw new VendorFailure('unavailable', 'The vendor answered with status 503.');
  };
  voices = new Voices({
    keys: { account: async (_, vendor) => accounts[vendor] ?? {} },
    http: {
      async send(request, trusted) {
        sent.push(request);
        answerUnlessAway();
        return http.send(request, trusted);
      },
    },
    sdks: {
      async read(catalogue) {
        answerUnlessAway();
        return readOnce(catalogue).pages;
      },
    },
    guard: GUARD,
    neuralVoice: () => 'en_US-joe-medium',
    clock,
  });
});

describe('the voices of a vendor', () => {
  it.each([
    [
      'elevenlabs',
      'Rachel',
      { provider: 'elevenlabs', model: '', params: { voice_id: '21m00Tcm4TlvDq8ikWAM' } },
    ],
    ['deepgram', 'Thalia', { provider: 'deepgram', model: 'aura-2-thalia-en', params: {} }],
    [
      'cartesia',
      'Katie',
      { provider: 'cartesia', model: '', params: { voice_id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' } },
    ],
  ] as const)('are those of its catalogue, as an agent names them: %s', async (provider, name, choice) => {
    const { voices: listed, state } = await voices.of(tenant, provider);
    expect(state).toBe('fresh');
    expect(listed[0]).toMatchObject({
      provider,
      name,
      gender: 'female',
      choice,
      languages: expect.arrayContaining(['en']),
    });
    expect(listed[0]!.sample).toMatch(/^https?:/);
    expect(filterVoices(listed, { language: 'de-DE' })).toHaveLength(1);
  });

  it('are read page by page', async () => {
    const { apiKey = '', url = '' } = accounts.cartesia!;
    const http = new VendorHttp(GUARD);
    const headers = { 'x-api-key': apiKey, 'cartesia-version': '2026-03-01' };
    let pages = 0;
    const listed = await cartesiaVoices(async (path, query) => {
      pages += 1;
      const asked = { method: 'GET', url: url + path, query: { ...query, limit: '2' }, headers } as const;
      return (await http.send(asked, true)).json;
    });
    expect(pages).toBe(2);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(listed).toHaveLength((await voices.of(tenant, 'cartesia')).voices.length);
  });

  it('are read page by page by the SDK, with the key of the account', async () => {
    const { voices: listed } = await voices.of(tenant, 'elevenlabs');
    expect(new Set(listed.map(({ id }) => id)).size).toBe(125);
    const { sent: asked } = readOnce({ vendor: 'elevenlabs', base: elevenLabs.url, apiKey: KEY });
    expect(asked.map(({ url, headers }) => [new URL(url).search, headers?.['xi-api-key']])).toEqual([
      ['?page_size=100&include_total_count=false', KEY],
      ['?next_page_token=cloned94&page_size=100&include_total_count=false', KEY],
    ]);
    expect(asked[0]!.headers?.['x-fern-sdk-name']).toBe('@elevenlabs/elevenlabs-js');
  });

  it('are unavailable in a form that is not known', async () => {
    readBySdk.set(JSON.stringify({ vendor: 'deepgram', base: 'http://127.0.0.1:9', apiKey: KEY }), {
      pages: Promise.resolve([{ tts: [{ name: 'nameless' }] }]),
      sent: [],
    });
    accounts.deepgram = { apiKey: KEY, url: 'ws://127.0.0.1:9/' };
    await expect(voices.of(tenant, 'deepgram')).rejects.toMatchObject({
      code: 'vendor_unavailable',
      message: expect.stringContaining('in a form that is not known'),
    });
  });

  it('are asked for once by many askers, kept, and kept on while the vendor is away', async () => {
    await Promise.all([voices.of(tenant, 'cartesia'), voices.of(newTenantId(), 'cartesia')]);
    expect(sent).toHaveLength(1);
    away = true;
    clock.advance(9 * 60_000);
    expect(await voices.of(tenant, 'cartesia')).toMatchObject({ state: 'fresh' });
    clock.advance(60_000);
    const stale = await voices.of(tenant, 'cartesia');
    expect(stale).toMatchObject({
      state: 'stale',
      fetchedAt: expect.any(Number),
      detail: 'The vendor answered with status 503.',
    });
    expect(stale.voices).toHaveLength(3);
  });

  it('are kept apart by account', async () => {
    await voices.of(tenant, 'cartesia');
    accounts.cartesia = { ...accounts.cartesia, apiKey: 'the-key-of-another' };
    await expect(voices.of(tenant, 'cartesia')).rejects.toMatchObject({ code: 'vendor_key_refused' });
    expect(sent).toHaveLength(2);
  });

  it('are refused in words without a key, and where the vendor is away and nothing is kept', async () => {
    away = true;
    await expect(voices.of(tenant, 'cartesia')).rejects.toMatchObject({ code: 'vendor_unavailable' });
    accounts = {};
    await expect(voices.of(tenant, 'cartesia')).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('PUT /api/v1/vendor-keys/cartesia'),
    });
  });
});

it.each(VOICE_PROVIDERS)('lists under its own name what agents can have of %s', async (provider) => {
  accounts.openai = { apiKey: KEY };
  const { voices: listed } = await voices.of(tenant, provider);
  expect(new Set(listed.map((voice) => voice.provider))).toEqual(new Set([provider]));
  expect(new Set(listed.map(({ choice }) => choice.provider))).toEqual(new Set([provider]));
});

it('lists all providers that can be used, and says who is away', async () => {
  away = true;
  delete accounts.deepgram;
  const sources = await voices.all(tenant);
  expect(sources.map(({ provider, state }) => `${provider} ${state}`)).toEqual([
    'elevenlabs unavailable',
    'cartesia unavailable',
    'local fresh',
  ]);
  expect(sources.at(-1)?.voices[0]).toMatchObject({ id: 'en_US-joe-medium', languages: ['en-US'] });
});

it('finds voices by the words of their description', async () => {
  const { voices: all } = await voices.of(tenant, 'elevenlabs');
  expect(filterVoices(all, { q: 'BRITISH female' }).map(({ name }) => name)).toEqual(['Alice']);
  expect(filterVoices(all, { q: 'nobody' })).toEqual([]);
});

describe('the recording of a voice', () => {
  it('is fetched once from where the vendor says', async () => {
    const { audio, type } = await voices.preview(tenant, 'elevenlabs', '21m00Tcm4TlvDq8ikWAM');
    expect([audio.readUInt16BE(0), type]).toEqual([0xfffb, 'audio/mpeg']);
    await expect(voices.preview(tenant, 'elevenlabs', 'nobody')).rejects.toMatchObject({
      code: 'voice_not_found',
    });
    await expect(voices.preview(tenant, 'local', 'de')).rejects.toMatchObject({ code: 'voice_not_found' });
  });

  it('is not fetched from an address of the inside, and is nothing but audio', async () => {
    const vendor = { base: 'https://api.example.com', headers: { 'xi-api-key': KEY } };
    await expect(
      fetchPreview(`${elevenLabs.url}/previews/21m00Tcm4TlvDq8ikWAM.mp3`, vendor, GUARD),
    ).rejects.toThrow(VendorFailure);
    const list = `${elevenLabs.url}/v2/voices`;
    const own = { ...vendor, base: elevenLabs.url };
    await expect(fetchPreview(list, own, GUARD)).rejects.toThrow('no audio but application/json');
    await expect(fetchPreview(list, { ...own, headers: {} }, GUARD)).rejects.toThrow('status 401');
  });
});
