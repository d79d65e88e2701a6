import { type AudioFormat, L16_16K, PCMA_8K } from '@voice/shared/audio/format';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeepgramEmulator, startDeepgramEmulator } from '../emulators/deepgram/server.js';
import type { EmulatedCall } from '../emulators/telnyx/emulated-call.js';
import { startTelnyxEmulator, type TelnyxEmulator } from '../emulators/telnyx/server.js';
import { type CallDetail, expectStatus, isOver, Tenant } from '../system/tenant.js';
import { QUICK_PEOPLE, quickAgent } from './harness/quick-agent.js';
import { decodeRecording } from './harness/recording.js';
import { SeparateSystem } from './harness/separate-system.js';
import { type TelnyxPeople, telnyxPeople } from './harness/telnyx-people.js';

/** New York: one party's consent is enough to record. */
const CALLEE = '+16465550180';
const ACCOUNT = { apiKey: 'telnyx-key', connectionId: '42' };
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

let people: TelnyxPeople;
let deepgram: DeepgramEmulator;
beforeAll(async () => {
  people = await telnyxPeople({ [CALLEE]: 'talks' }, QUICK_PEOPLE);
  deepgram = await startDeepgramEmulator({ phrasebook: people.phrasebook, apiKeys: ['dg-key'] });
});
afterAll(() => deepgram?.close());

/** An installation's codec is one for all its calls: each has a system of its own. */
class Installation {
  telnyx!: TelnyxEmulator;
  system!: SeparateSystem;
  tenant!: Tenant;

  async start(codec: string): Promise<void> {
    this.telnyx = await startTelnyxEmulator({ ...ACCOUNT, phones: people.phones });
    this.system = await SeparateSystem.start({
      TELNYX_API_URL: this.telnyx.url,
      TELNYX_API_KEY: ACCOUNT.apiKey,
      TELNYX_CONNECTION_ID: ACCOUNT.connectionId,
      TELNYX_PUBLIC_KEY: this.telnyx.publicKey,
      TELNYX_CODEC: codec,
      DEEPGRAM_API_KEY: 'dg-key',
      DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}`,
    });
    this.telnyx.webhooks.url = `${this.system.apiUrl}/internal/carriers/telnyx/events`;
    const agent = {
      ...quickAgent,
      voice_config: { ...quickAgent.voice_config, stt: { provider: 'deepgram', model: 'nova-3' } },
      calling_hours: Object.fromEntries(DAYS.map((day) => [day, { start: '00:00', end: '24:00' }])),
    };
    this.tenant = await Tenant.create(this.system, agent, { sandbox: false });
  }

  async stop(): Promise<void> {
    await this.system?.stop();
    await this.telnyx?.close();
  }

  /** Gives a call to the goodbye. */
  async call(): Promise<{ call: CallDetail; line: EmulatedCall }> {
    const { tenant } = this;
    const path = '/api/v1/phones/available?provider=telnyx&area_code=646&limit=1';
    const offers = expectStatus(200, await tenant.request('GET', path)).json;
    const [{ phone_number }] = offers as unknown as [{ phone_number: string }];
    expectStatus(201, await tenant.request('POST', '/api/v1/phones', { phone_number, provider: 'telnyx' }));
    const body = { agent_id: tenant.agentId, from_number: phone_number, to_number: CALLEE };
    const { id } = expectStatus(202, await tenant.request('POST', '/api/v1/calls', body)).json;
    const call = await tenant.untilStatus(String(id), isOver, 220_000);
    return { call, line: this.telnyx.calls.all.find(({ to }) => to === CALLEE)! };
  }
}

const CODECS: readonly (readonly [string, AudioFormat])[] = [
  ['PCMA', PCMA_8K],
  ['L16', L16_16K],
];

describe.concurrent.each(CODECS)('a call over Telnyx in %s', (codec, format) => {
  it('is understood on both sides to the goodbye, and recorded', async ({ onTestFailed }) => {
    const installation = new Installation();
    try {
      await installation.start(codec);
      const { call, line } = await installation.call();
      onTestFailed(() => console.error(installation.system.tail(60), JSON.stringify(call, null, 1)));
      expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup' });
      expect(line.stream).toMatchObject({ sends: format, takes: format, errors: [] });
      const caller = call.transcript.filter(({ role }) => role === 'caller').map(({ text }) => text);
      expect(caller.length).toBeGreaterThanOrEqual(3);
      expect(caller.join(' ').toLowerCase()).toContain('goodbye');
      const recording = await decodeRecording((await installation.tenant.recording(call.id)).mp3);
      const spoken = call.transcript.filter(({ role, interrupted }) => role !== 'tool' && !interrupted);
      for (const turn of spoken) {
        const speaker = turn.role === 'caller' ? 'caller' : 'agent';
        const loudness = recording.loudness(speaker, turn.started_at_ms, turn.ended_at_ms);
        expect(loudness, `${turn.role}: ${turn.text}`).toBeGreaterThan(0.01);
        // A codec taken for another is noise at full scale.
        expect(loudness, `${turn.role}: ${turn.text}`).toBeLessThan(0.4);
      }
    } finally {
      await installation.stop();
    }
  }, 300_000);
});
