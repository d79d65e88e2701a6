import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  type AudioFormat,
  frameBytes,
  L16_16K,
  PCMA_8K,
  PCMU_8K,
  silenceByte,
} from '@voice/shared/audio/format';
import { encodeMulaw, FRAME_BYTES } from '@voice/shared/audio/g711';
import { decodeSamples } from '@voice/shared/audio/samples';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { MediaStream, type StreamTerms } from '../../../../loadtest/emulators/telnyx/media.js';
import { levelDb } from '../../audio/level.js';
import type { MediaStreamEvent } from '../codec.js';
import { TelnyxMediaStreamCodec } from './media-stream-codec.js';

const LOUD = encodeMulaw(
  Int16Array.from({ length: FRAME_BYTES }, (_, n) => 9000 * Math.sin((2 * Math.PI * 400 * n) / 8000)),
);

/** Telnyx's end by the emulator, ours by the codec, and a real WebSocket between them. */
describe('the codec against the emulated Telnyx', () => {
  let server: WebSocketServer;
  let clock: ScriptedClock;
  let codec: TelnyxMediaStreamCodec;
  let events: MediaStreamEvent[];
  let heardByPerson: Uint8Array[];
  let telnyx: MediaStream;
  let socket: WebSocket | undefined;

  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    clock = new ScriptedClock();
    codec = new TelnyxMediaStreamCodec({ clock });
    events = [];
    heardByPerson = [];
    server.on('connection', (connected) => {
      socket = connected;
      connected.on('message', (data) => {
        for (let event = codec.decode(String(data)) ?? codec.next(); event; event = codec.next()) {
          events.push(event.type === 'audio' ? { ...event, frame: event.frame.slice() } : event);
        }
      });
    });
  });
  afterEach(async () => {
    telnyx.stop();
    socket?.terminate();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  async function open(terms: Partial<StreamTerms> = {}, codecName?: string): Promise<void> {
    const state = { call_id: 'c1', token: 't', ...(codecName ? { codec: codecName } : {}) };
    const person = {
      step(heard: Uint8Array) {
        heardByPerson.push(heard);
        return { frame: LOUD, beeped: false, hangsUp: false };
      },
      close() {},
    };
    telnyx = new MediaStream(
      {
        url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
        bidirectional: true,
        callControlId: 'v3:1',
        from: '+13125550100',
        to: '+13125550101',
        clientState: Buffer.from(JSON.stringify(state)).toString('base64'),
        ...terms,
      },
      {},
      person,
      clock,
    );
    await expect.poll(() => events).toHaveLength(1);
  }

  /** Lets so many frames pass, each 20 ms after the one before, and waits until `count` events have come. */
  async function speak(frames: number, count: number): Promise<void> {
    for (let n = 0; n < frames; n++) clock.advance(20);
    await expect.poll(() => events.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
  }
  const audio = () => events.filter((event) => event.type === 'audio');

  it.each<[string, AudioFormat]>([
    ['PCMU', PCMU_8K],
    ['PCMA', PCMA_8K],
    ['L16', L16_16K],
  ])('carries %s both ways', async (name, format) => {
    await open({ sends: format, takes: format }, name);
    expect(events[0]).toMatchObject({ type: 'started', format });
    await speak(12, 10);
    const { frame } = audio()[4]!;
    expect(frame).toHaveLength(frameBytes(format));
    expect(levelDb(decodeSamples(format.encoding, frame, new Int16Array(frame.length)))).toBeCloseTo(
      -14.3,
      0,
    );
    // Back: what the agent says is what the person hears.
    for (let n = 0; n < 4; n++) socket!.send(codec.encodeAudio(frame));
    await expect.poll(() => telnyx.played).toHaveLength(4);
    for (let n = 0; n < 3; n++) clock.advance(20);
    expect(levelDb(decodeSamples('pcmu', heardByPerson.at(-1)!, new Int16Array(160)))).toBeCloseTo(-14.3, 0);
    expect(telnyx.errors).toEqual([]);
  });

  it('converts what the call itself carries to what was asked for', async () => {
    await open({ sends: PCMA_8K, takes: PCMU_8K });
    await speak(6, 6);
    expect(events[0]).toMatchObject({ format: PCMU_8K });
    expect(levelDb(decodeSamples('pcmu', audio()[2]!.frame, new Int16Array(160)))).toBeCloseTo(-14.3, 0);
  });

  it('orders Telnyx frames, conceals lost ones, and goes on after a restart', async () => {
    await open();
    // Every 25th frame is overtaken by the next.
    await speak(30, 31);
    telnyx.dropNext(2);
    // What comes behind the gap waits, until time has passed and another frame comes.
    await speak(10, 31);
    await expect.poll(() => codec.nextAt(), { interval: 2 }).toBeDefined();
    await speak(5, 45);
    telnyx.restartNumbering();
    await speak(20, 65);
    const positions = audio().map(({ timestampMs }) => timestampMs);
    expect(positions).toEqual(positions.map((_, n) => positions[0]! + n * 20));
    expect(audio().filter(({ concealed }) => concealed)).toHaveLength(2);
  });

  it('survives errors and events that nobody knows', async () => {
    await open();
    telnyx.reportError('media_unavailable');
    telnyx.sendUnknown('transcription');
    await expect.poll(() => events).toHaveLength(3);
    expect(events.slice(1)).toMatchObject([
      { type: 'notice', code: 'carrier_error', message: expect.stringContaining('media_unavailable') },
      { type: 'notice', code: 'carrier_event_unknown', message: expect.stringContaining('transcription') },
    ]);
    await speak(3, 6);
    expect(new Set(audio()[0]!.frame)).not.toEqual(new Set([silenceByte(PCMU_8K)]));
  });
});
