import { CARRIER_PROTOCOLS } from '@voice/shared/catalogue/carriers';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { CARRIER_CODECS } from './carrier-codecs.js';
import { ProtocolViolation } from './codec.js';

describe('the codecs of carriers', () => {
  it('are those of the protocols that the catalogue names', () => {
    expect(Object.keys(CARRIER_CODECS).sort()).toEqual([...CARRIER_PROTOCOLS].sort());
  });

  it.each(Object.entries(CARRIER_CODECS))('keep the state of one connection each: %s', (_, create) => {
    const clock = new ScriptedClock();
    const [one, other] = [create({ clock }), create({ clock })];
    expect(one).not.toBe(other);
    expect(() => one.decode('hello')).toThrow(ProtocolViolation);
  });

  // Each was found by `npm run fuzz`.
  it.each(
    Object.entries(CARRIER_CODECS).flatMap(([protocol, create]) =>
      [
        '{"event":"media","media":null}',
        '{"event":"media","media":{"chunk":{"valueOf":null,"toString":null},"timestamp":"0","payload":"//8="}}',
        '{"event":"media","media":{"chunk":1,"timestamp":{"valueOf":null,"toString":null},"payload":"//8="}}',
        '{"event":"mark","mark":null}',
        '{"event":"dtmf","dtmf":null}',
        '{"event":"error","payload":{"title":{"toString":null}}}',
        '{"event":"error","payload":null}',
      ].map((frame) => ({ protocol, create, frame })),
    ),
  )('refuse or ignore a field of another type: $protocol, $frame', ({ protocol, create, frame }) => {
    const codec = create({ clock: new ScriptedClock() });
    codec.decode(STARTS[protocol]!);
    try {
      codec.decode(frame);
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolViolation);
    }
  });
});

const STARTS: Readonly<Record<string, string>> = {
  twilio: JSON.stringify({
    event: 'start',
    streamSid: 'MZ1',
    start: {
      streamSid: 'MZ1',
      callSid: 'CA1',
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
    },
  }),
  plivo: JSON.stringify({
    event: 'start',
    start: {
      callId: 'c1',
      streamId: 's1',
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
    },
    extra_headers: '',
  }),
  telnyx: JSON.stringify({
    event: 'start',
    stream_id: 's1',
    start: {
      call_control_id: 'v3:call',
      client_state: '',
      media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
    },
  }),
};
