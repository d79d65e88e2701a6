import { type TelnyxCodec, telnyxCodec } from '@voice/shared/catalogue/carriers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelnyxEmulator, type TelnyxEmulator } from '../../../../../loadtest/emulators/telnyx/server.js';
import { readConfig } from '../../../config.js';
import { TelnyxCarrier } from './telnyx-carrier.js';

const [CALLER, OURS] = ['+13125550150', '+13125550101'];
let telnyx: TelnyxEmulator;
beforeAll(async () => {
  telnyx = await startTelnyxEmulator({ apiKey: 'key', connectionId: '42' });
});
afterAll(() => telnyx.close());

/** Answers a call with a media stream; returns what was sent to Telnyx. */
async function answered(codec: TelnyxCodec) {
  const account = { apiKey: 'key', connectionId: '42', publicKey: telnyx.publicKey, apiUrl: telnyx.url };
  const carrier = new TelnyxCarrier({ ...account, codec });
  const call = await telnyx.calls.callIn(CALLER, OURS);
  const stream = {
    kind: 'stream',
    streamUrl: 'ws://127.0.0.1:9',
    callId: 'c1',
    streamToken: `t-${codec}`,
  } as const;
  await carrier.answerInbound(call.id, stream, new AbortController().signal);
  const { body } = telnyx.calls.commands.findLast(({ callId }) => callId === call.id)!;
  const state = JSON.parse(Buffer.from(String(body.client_state), 'base64').toString('utf8')) as object;
  return { body, state };
}

describe('the codec of media streams', () => {
  it.each<[TelnyxCodec, number, object]>([
    ['PCMU', 8000, {}],
    ['PCMA', 8000, { codec: 'PCMA' }],
    ['L16', 16_000, { codec: 'L16' }],
  ])(
    '%s is asked for both ways, and shown to the worker where it is not the usual one',
    async (codec, rate, shown) => {
      const { body, state } = await answered(codec);
      expect(body).toMatchObject({
        stream_track: 'inbound_track',
        stream_codec: codec,
        stream_bidirectional_mode: 'rtp',
        stream_bidirectional_codec: codec,
        stream_bidirectional_sampling_rate: rate,
      });
      expect(state).toEqual({ call_id: 'c1', token: `t-${codec}`, ...shown });
    },
  );

  it('is one of three', () => {
    expect(telnyxCodec.options).toEqual(['PCMU', 'PCMA', 'L16']);
    expect(telnyxCodec.safeParse('G722').success).toBe(false);
  });

  it('is PCMU unless TELNYX_CODEC says otherwise', () => {
    const env = {
      MONGODB_URI: 'mongodb://127.0.0.1',
      INTERNAL_SECRET: 's'.repeat(16),
      SECRETS_KEY: 's'.repeat(32),
      TELNYX_API_KEY: 'key',
      TELNYX_PUBLIC_KEY: telnyx.publicKey,
      TELNYX_CONNECTION_ID: '42',
    };
    expect(readConfig(env).carriers.telnyx?.codec).toBe('PCMU');
    expect(readConfig({ ...env, TELNYX_CODEC: 'L16' }).carriers.telnyx?.codec).toBe('L16');
    expect(() => readConfig({ ...env, TELNYX_CODEC: 'G722' })).toThrow(/TELNYX_CODEC.*PCMU, PCMA or L16/s);
  });
});
