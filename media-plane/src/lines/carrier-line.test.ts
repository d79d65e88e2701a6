import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { turnAudio } from '../streams/audio-id.js';
import { Pacer } from '../streams/pacer.js';
import { pacingOf } from '../streams/pacing-options.js';
import { testCallPlan } from '../testing/call-plan.js';
import { CarrierLine } from './carrier-line.js';
import { ProtocolViolation } from './codec.js';
import { NotedLine } from './testing/noted-line.js';
import { TwilioMediaStreamCodec } from './twilio/media-stream-codec.js';
import { MOST_UNSTARTED, UnstartedStreams } from './unstarted-streams.js';

const FRAME = new Uint8Array(160).fill(0xff);

function lineOf(unstarted = new UnstartedStreams()) {
  const clock = new ScriptedClock();
  const sent: string[] = [];
  const ended: number[] = [];
  let buffered = 0;
  let call: NotedLine | undefined;
  const line = new CarrierLine({
    codec: new TwilioMediaStreamCodec(),
    unstarted,
    clock,
    log: silentLog,
    socket: {
      send: (message) => sent.push(String(message)),
      bufferedBytes: () => buffered,
      end: (code) => ended.push(code),
    },
    admission: {
      claim: (callId, token) => (token === 'right' ? testCallPlan({ call_id: callId }) : undefined),
      startCall: (_plan, started) => {
        call = new NotedLine(started);
      },
    },
  });
  const say = (message: object) => line.received(Buffer.from(JSON.stringify(message)), false);
  const start = (token = 'right') =>
    say({
      event: 'start',
      streamSid: 'MZ1',
      start: {
        streamSid: 'MZ1',
        callSid: 'CA1',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { call_id: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f', token },
      },
    });
  const media = (payload: Uint8Array, timestamp: number) =>
    say({
      event: 'media',
      streamSid: 'MZ1',
      media: {
        track: 'inbound',
        timestamp: String(timestamp),
        payload: Buffer.from(payload).toString('base64'),
      },
    });
  return {
    line,
    clock,
    sent,
    ended,
    say,
    start,
    media,
    call: () => call!,
    behindBy: (bytes: number) => {
      buffered = bytes;
    },
    events: () => sent.map((text) => (JSON.parse(text) as { event: string }).event),
  };
}

describe("a carrier's line", () => {
  it('starts its call by the token in start, once', () => {
    const { start, call, line } = lineOf();
    start();
    expect(call().line).toBe(line);
    expect([line.streamId, line.carrierCallId]).toEqual(['MZ1', 'CA1']);
  });

  it('refuses a wrong token', () => {
    const { start } = lineOf();
    expect(() => start('wrong')).toThrow(ProtocolViolation);
  });

  it('is closed when no start comes in time', () => {
    const { clock, ended } = lineOf();
    clock.advance(10_000);
    expect(ended).toEqual([1008]);
  });

  it('cuts what the caller says into frames of 20 ms, at their place in the stream', () => {
    const { start, media, call } = lineOf();
    start();
    media(new Uint8Array(400).fill(1), 0);
    media(new Uint8Array(80).fill(2), 50);
    expect(call().audio.map(({ positionMs, frame }) => [positionMs, frame.length])).toEqual([
      [0, 160],
      [20, 160],
      [40, 160],
    ]);
    expect([...call().audio[2]!.frame.slice(78, 82)]).toEqual([1, 1, 2, 2]);
  });

  it('stops its audio when the connection is behind, and still gets a clear and a mark through', () => {
    const { start, line, events, behindBy } = lineOf();
    start();
    expect(line.sendAudio(FRAME)).toBe(true);
    behindBy(20 * 300);
    expect(line.sendAudio(FRAME)).toBe(false);
    line.clear();
    line.sendMark('m1');
    expect(events()).toEqual(['media', 'clear', 'mark']);
    behindBy(0);
    expect(line.sendAudio(FRAME)).toBe(true);
  });

  it('lets the carrier hold 200 ms, and has it discard them in the moment of an interruption', () => {
    const { start, line, events, sent, clock } = lineOf();
    start();
    const pacer = new Pacer(clock, (error) => {
      throw error;
    });
    const nothing = { onFirstFrame: () => {}, onFinished: () => {}, onPlayed: () => {} };
    const output = pacer.open(line, nothing, pacingOf(line));
    const turn = turnAudio(1);
    output.begin(turn);
    output.write(turn, new Uint8Array(160 * 100));
    const sentMs = () =>
      sent
        .map((message) => JSON.parse(message) as { media?: { payload: string } })
        .reduce((sum, { media }) => sum + Buffer.from(media?.payload ?? '', 'base64').length / 8, 0);
    expect(sentMs()).toBe(200);
    clock.advance(400);
    // In pieces of 60 ms.
    expect(sentMs()).toBe(560);
    expect(events().filter((event) => event === 'media')).toHaveLength(8);
    output.pause(turn);
    expect(events().at(-1)).toBe('clear');
  });

  it('knows how much audio has not left this process', () => {
    const { start, line, sent, behindBy } = lineOf();
    start();
    line.sendAudio(FRAME);
    behindBy(3 * sent[0]!.length);
    expect(line.bufferedMs()).toBe(60);
  });

  it('reports its end once, whichever side ended it', () => {
    const { start, say, line, call, ended } = lineOf();
    start();
    say({ event: 'stop', streamSid: 'MZ1' });
    line.closed();
    line.close();
    expect(call().events).toEqual(['closed']);
    expect(ended).toEqual([1000]);
    expect(line.sendAudio(FRAME)).toBe(false);
  });
});

describe('connections that do not say which call they are of', () => {
  const POLICY = [1008];

  it('are a thousand at most: the oldest goes for a new one', () => {
    const unstarted = new UnstartedStreams();
    const lines = Array.from({ length: MOST_UNSTARTED }, () => lineOf(unstarted));
    expect(lines.every(({ ended }) => ended.length === 0)).toBe(true);
    lineOf(unstarted);
    expect(lines[0]!.ended).toEqual(POLICY);
    expect(lines[1]!.ended).toEqual([]);
    lineOf(unstarted);
    expect(lines.map(({ ended }) => ended.length).slice(0, 3)).toEqual([1, 1, 0]);
  });

  it('do not cost a call its connection: one that has started, or is closed, is no longer among them', () => {
    const unstarted = new UnstartedStreams();
    const called = lineOf(unstarted);
    called.start();
    const gone = lineOf(unstarted);
    gone.line.closed();
    for (let n = 0; n < MOST_UNSTARTED; n++) lineOf(unstarted);
    expect([called.ended, gone.ended]).toEqual([[], []]);
  });
});
