import { freePort } from '@voice/shared/listen/free-port';
import { z } from 'zod';
import { TestProcess } from '../system/process.js';
import type { FailingProvider } from './fault-injector.js';

const NAMES = ['deepgram', 'openai', 'elevenlabs'] as const;
type Name = (typeof NAMES)[number];
export const PROVIDERS: readonly string[] = NAMES;

/** What the emulated providers ask for; no log may hold one. */
const KEYS: Readonly<Record<Name, string>> = {
  deepgram: 'dg-chaos-4a1c77',
  openai: 'sk-chaos-9be012',
  elevenlabs: 'xi-chaos-c30d55',
};

const phrases = z.array(z.object({ audio: z.base64() }));

/** Emulated providers, each a process that can refuse or be mute for a while. */
export class Providers {
  readonly secrets: readonly string[] = Object.values(KEYS);
  readonly #running = new Map<Name, TestProcess>();
  readonly #ports = new Map<Name, number>();
  #outages: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(
    /** Of everything that simulated people can say: kept, for a provider that is started again reads it. */
    private readonly carrier: TestProcess,
  ) {}

  static async start(): Promise<Providers> {
    const carrier = await new TestProcess({
      entry: 'infra/dist/simulated-carrier/main.js',
      env: {
        SIMULATED_CARRIER_PORT: '0',
        SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
        SIMULATED_CARRIER_AUTH_TOKEN: '0'.repeat(32),
      },
    }).ready();
    const providers = new Providers(carrier);
    for (const name of NAMES) await providers.#start(name);
    return providers;
  }

  /** For the control plane. */
  get env(): NodeJS.ProcessEnv {
    const at = (name: Name) => `127.0.0.1:${this.#ports.get(name)}`;
    return {
      DEEPGRAM_API_KEY: KEYS.deepgram,
      DEEPGRAM_URL: `ws://${at('deepgram')}`,
      OPENAI_API_KEY: KEYS.openai,
      OPENAI_BASE_URL: `http://${at('openai')}/v1`,
      ELEVENLABS_API_KEY: KEYS.elevenlabs,
      ELEVENLABS_URL: `ws://${at('elevenlabs')}`,
    };
  }

  get voiceConfig(): object {
    return {
      stt: { provider: 'deepgram', model: 'nova-3' },
      llm: { provider: 'openai', model: 'gpt-4o-mini' },
      tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5' },
    };
  }

  /** What a caller can say so that it is recognised, in mu-law. */
  async phrases(): Promise<Buffer[]> {
    const answer = await fetch(`${this.carrier.url}/phrasebook`);
    return phrases.parse(await answer.json()).map(({ audio }) => Buffer.from(audio, 'base64'));
  }

  find(name: string): FailingProvider | undefined {
    const known = NAMES.find((one) => one === name);
    if (!known) return undefined;
    return { fail: (how) => this.#fail(known, how) };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#outages;
    for (const process of [...this.#running.values(), this.carrier]) {
      process.signal('SIGCONT');
      await process.stop();
    }
  }

  /** Undefined where it fails already. Returns what ends the outage. */
  #fail(name: Name, how: 'refuses' | 'is mute'): (() => void) | undefined {
    const process = this.#running.get(name);
    if (!process) return undefined;
    if (how === 'is mute') {
      process.signal('SIGSTOP');
      return () => process.signal('SIGCONT');
    }
    this.#running.delete(name);
    process.signal('SIGCONT');
    process.signal('SIGKILL');
    return () => {
      this.#outages = Promise.all([this.#outages, this.#startAgain(name)]).then(() => {});
    };
  }

  async #startAgain(name: Name): Promise<void> {
    if (!this.#stopped) await this.#start(name);
  }

  async #start(name: Name): Promise<void> {
    const port = this.#ports.get(name) ?? (await freePort());
    this.#ports.set(name, port);
    const args = ['--port', String(port), '--api-key', KEYS[name]];
    if (name === 'deepgram') args.push('--phrasebook', `${this.carrier.url}/phrasebook`);
    const entry = `loadtest/dist/emulators/${name}/main.js`;
    const process = await new TestProcess({ entry, args }).ready();
    this.#running.set(name, process);
  }
}
