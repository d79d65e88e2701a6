import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { LaunchedSystem } from '../system/launched-system.js';
import { TestProcess } from '../system/process.js';
import { type CallDetail, isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';

/** What the emulated vendors need to be satisfied. */
const KEYS = {
  deepgram: 'dg-key',
  openai: 'sk-openai',
  elevenlabs: 'xi-key',
  assemblyai: 'aai-key',
  anthropic: 'sk-ant',
  cartesia: 'ca-key',
};

let vendors: TestProcess[] = [];
let system: LaunchedSystem;

async function startVendors(): Promise<NodeJS.ProcessEnv> {
  // Everything that simulated people can say; the same bytes from every simulated carrier.
  const carrier = await new TestProcess({
    entry: 'infra/dist/simulated-carrier/main.js',
    env: {
      SIMULATED_CARRIER_PORT: '0',
      SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      SIMULATED_CARRIER_AUTH_TOKEN: '0'.repeat(32),
    },
  }).ready();
  const emulator = (name: keyof typeof KEYS, ...args: string[]) =>
    new TestProcess({
      entry: `loadtest/dist/emulators/${name}/main.js`,
      args: ['--port', '0', '--api-key', KEYS[name], ...args],
    }).ready();
  vendors = await Promise.all([
    emulator('deepgram', '--phrasebook', `${carrier.url}/phrasebook`),
    emulator('openai'),
    emulator('elevenlabs'),
    emulator('assemblyai', '--phrasebook', `${carrier.url}/phrasebook`),
    emulator('anthropic'),
    emulator('cartesia'),
  ]);
  await carrier.stop();
  const [deepgram, openai, elevenlabs, assemblyai, anthropic, cartesia] = vendors;
  return {
    DEEPGRAM_API_KEY: KEYS.deepgram,
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram!.port}`,
    OPENAI_API_KEY: KEYS.openai,
    OPENAI_BASE_URL: `http://127.0.0.1:${openai!.port}/v1`,
    ELEVENLABS_API_KEY: KEYS.elevenlabs,
    ELEVENLABS_URL: `ws://127.0.0.1:${elevenlabs!.port}`,
    ASSEMBLYAI_API_KEY: KEYS.assemblyai,
    ASSEMBLYAI_URL: `ws://127.0.0.1:${assemblyai!.port}`,
    ANTHROPIC_API_KEY: KEYS.anthropic,
    ANTHROPIC_URL: `http://127.0.0.1:${anthropic!.port}`,
    CARTESIA_API_KEY: KEYS.cartesia,
    CARTESIA_URL: `ws://127.0.0.1:${cartesia!.port}`,
    // The unreachable model's server, where nobody listens.
    EGRESS_ALLOW: '127.0.0.1/32',
  };
}

const { voice_config: local } = quickAgent;
const vendorsWith = (sttModel: string) => ({
  stt: { provider: 'deepgram', model: sttModel },
  llm: { provider: 'openai', model: 'gpt-4o-mini' },
  tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5', params: { voice_id: 'EXAVITQu4vr4xnSDxMaL' } },
});
const VOICES = {
  nova: vendorsWith('nova-3'),
  flux: vendorsWith('flux-general-en'),
  others: {
    stt: { provider: 'assemblyai' },
    llm: { provider: 'anthropic' },
    tts: { provider: 'cartesia' },
  },
  unreachable: {
    ...local,
    llm: { provider: 'openai', model: 'gpt-4o-mini', params: { base_url: 'http://127.0.0.1:9/v1' } },
  },
};
type Voice = keyof typeof VOICES;

/** All calls run at the same time; each test looks at its own. */
const calls = new Map<Voice, Promise<{ call: CallDetail; tenant: Tenant }>>();

beforeAll(async () => {
  system = await LaunchedSystem.start(await startVendors());
  for (const voice of Object.keys(VOICES) as Voice[]) {
    const running = Tenant.create(system, { ...quickAgent, voice_config: VOICES[voice] }).then(
      async (tenant) => ({
        tenant,
        call: await tenant.untilStatus(await tenant.dial('talks'), isOver, 220_000),
      }),
    );
    running.catch(() => {});
    calls.set(voice, running);
  }
});
afterAll(async () => {
  await system?.stop();
  for (const vendor of vendors) await vendor.stop();
});

describe.each([
  ['nova', 'Deepgram Nova, OpenAI and ElevenLabs'],
  ['flux', 'Deepgram Flux, OpenAI and ElevenLabs'],
  ['others', 'AssemblyAI, Anthropic and Cartesia'],
] as const)('a call through %s (%s)', (voice, _vendor) => {
  it('is the same conversation through the vendors’ real protocols', async () => {
    onTestFailed(() => console.error(system.tail(60)));
    const { call, tenant } = await calls.get(voice)!;
    expect(call).toMatchObject({ status: 'COMPLETED' });
    const caller = call.transcript.filter(({ role }) => role === 'caller').map(({ text }) => text);
    expect(caller.length).toBeGreaterThanOrEqual(3);
    expect(caller.join(' ').toLowerCase()).toContain('goodbye');
    expect(call.transcript.filter(({ role }) => role === 'agent').length).toBeGreaterThanOrEqual(4);
    expect(call.metrics.p50.response_latency_ms).toBeGreaterThan(0);
    expect((await tenant.recording(call.id)).mp3.length).toBeGreaterThan(10_000);
  });
});

describe('a vendor that cannot be reached', () => {
  it('ends the call as FAILED, provider_failed, and says of which kind', async () => {
    const { call } = await calls.get('unreachable')!;
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'provider_failed' });
    expect(call.error_code).toMatch(/^llm_/);
  });
});
