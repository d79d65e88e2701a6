import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import {
  SANDBOX_CALLER_ID,
  type SimulatedBehavior,
  TEST_NUMBERS,
} from '@voice/shared/contracts/test-numbers';
import type { BuiltProgram } from '@voice/shared/process/built-program';
import { z } from 'zod';
import { DELAYS, IDEAL_RESPONSE_MS } from '../bench/fixed-delays.js';
import type { Speech } from '../bench/speech.js';
import { MULAW_CASCADE } from '../bench/subject.js';
import { startVendors, type Vendors } from '../bench/vendors.js';
import { LaunchedSystem } from '../system/launched-system.js';
import { expectStatus, Tenant } from '../system/tenant.js';
import { EventReceiver } from './event-receiver.js';
import type { Watched } from './process-usage.js';
import type { Settings } from './settings-contract.js';

const carrierAccount = z.object({
  simulated_carrier_account_sid: z.string(),
  simulated_carrier_auth_token: z.string(),
});
const bought = z.object({ id: z.string() });

export interface LoadSystemOptions {
  readonly speech: Speech;
  /** Calls that the one worker takes at once. */
  readonly capacity: number;
}

/** The system under load: launched as by `npm start`, with emulated vendors and a receiver of webhooks. */
export class LoadSystem {
  private constructor(
    private readonly system: LaunchedSystem,
    private readonly vendors: readonly BuiltProgram[],
    readonly receiver: EventReceiver,
    readonly tenant: Tenant,
    private readonly phoneNumber: string,
  ) {}

  static async start({ speech, capacity }: LoadSystemOptions): Promise<LoadSystem> {
    const vendors: BuiltProgram[] = [];
    const receiver = await EventReceiver.start();
    let system: LaunchedSystem | undefined;
    try {
      const reached = await startVendors(MULAW_CASCADE, speech, vendors);
      system = await LaunchedSystem.start({
        ...vendorEnvironment(reached),
        WORKERS: '1',
        WORKER_CAPACITY: String(capacity),
        RATE_LIMIT_DEFAULT: '1000000',
        RATE_LIMIT_DIAL: '1000000',
        RATE_LIMIT_CAMPAIGN_DISPATCH: '1000000',
        EGRESS_ALLOW: '127.0.0.0/8',
        LOG_LEVEL: 'warn',
        LOG_FORMAT: 'json',
      });
      const tenant = await Tenant.create(system, agent);
      const subscription = { url: `${receiver.url}/events`, event_types: ['*'], sandbox: true };
      expectStatus(201, await tenant.request('POST', '/api/v1/webhooks', subscription));
      return new LoadSystem(system, vendors, receiver, tenant, await buyNumber(tenant));
    } catch (error) {
      receiver.close();
      await system?.stop();
      for (const vendor of vendors) await vendor.stop();
      throw error;
    }
  }

  /** What k6 is to know. */
  settings(
    speech: Speech,
    amounts: Pick<Settings, 'callSeconds' | 'campaignContacts' | 'endSeconds'>,
  ): Settings {
    const secrets = carrierAccount.parse(
      JSON.parse(readFileSync(join(this.system.dataDir, 'secrets.json'), 'utf8')),
    );
    const recorded = (utterances: Speech['sentences']) =>
      utterances.map(({ frames, firstLoud, lastLoud }) => ({
        frames: frames.map((frame) => Buffer.from(frame).toString('base64')),
        firstLoud,
        lastLoud,
      }));
    return {
      apiUrl: this.tenant.apiUrl,
      key: this.tenant.key,
      agentId: this.tenant.agentId,
      phoneNumber: this.phoneNumber,
      carrier: {
        accountSid: secrets.simulated_carrier_account_sid,
        authToken: secrets.simulated_carrier_auth_token,
      },
      receiverUrl: this.receiver.url,
      numbers: { busy: numberOf('busy'), rejects: numberOf('rejects') },
      callerId: SANDBOX_CALLER_ID,
      idealMs: IDEAL_RESPONSE_MS,
      ...amounts,
      sentences: recorded(speech.sentences),
      interruptions: recorded(speech.interruptions),
    };
  }

  /** The processes of one role, as the launcher names it. */
  pidsOf(role: string): readonly number[] {
    return this.system.runtime.processes.filter((process) => process.role === role).map(({ pid }) => pid);
  }

  /** The processes, by the part that they are. */
  get watched(): readonly Watched[] {
    const ofRole = (role: string) => {
      const pids = this.pidsOf(role);
      return () => pids;
    };
    return [
      { name: 'worker', pids: ofRole('worker') },
      { name: 'control plane', pids: ofRole('control-plane') },
      { name: 'store', pids: ofRole('store') },
      { name: 'simulated carrier', pids: ofRole('carrier') },
      { name: 'emulated vendors', pids: () => this.vendors.map(({ pid }) => pid) },
    ];
  }

  /** The last lines of its log. */
  tail(): string {
    return this.system.tail();
  }

  async stop(): Promise<void> {
    await this.system.stop();
    for (const vendor of this.vendors) await vendor.stop();
    this.receiver.close();
  }
}

/** Turn-taking that waits a fixed time, so that what is above it is the runtime's own. */
const agent = {
  ...demoAgent,
  name: 'Load',
  voice_config: {
    stt: { provider: 'deepgram', model: 'nova-3' },
    llm: { provider: 'openai', model: 'bench' },
    tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5' },
  },
  turn_taking: {
    preemptive_generation: 'off',
    min_endpointing_ms: DELAYS.endpointing,
    confident_endpointing_ms: DELAYS.endpointing,
    fillers: [],
  },
};

/** The environment by which the planes find the emulators. */
function vendorEnvironment({ deepgram, openai, elevenlabs }: Vendors): NodeJS.ProcessEnv {
  return {
    DEEPGRAM_API_KEY: deepgram!.api_key,
    DEEPGRAM_URL: deepgram!.base_url,
    OPENAI_API_KEY: openai!.api_key,
    OPENAI_BASE_URL: openai!.base_url,
    ELEVENLABS_API_KEY: elevenlabs!.api_key,
    ELEVENLABS_URL: elevenlabs!.base_url,
  };
}

const numberOf = (person: SimulatedBehavior) =>
  TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number;

/** Buys a number in the sandbox and gives it to the agent. */
async function buyNumber(tenant: Tenant): Promise<string> {
  const offers = await tenant.request('GET', '/api/v1/phones/available?limit=1');
  const [offer] = z.array(z.object({ phone_number: z.string() })).parse(offers.json);
  const made = await tenant.request('POST', '/api/v1/phones', { phone_number: offer!.phone_number });
  const { id } = bought.parse(expectStatus(201, made).json);
  expectStatus(200, await tenant.request('PATCH', `/api/v1/phones/${id}`, { agent_id: tenant.agentId }));
  return offer!.phone_number;
}
