import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { OutgoingAudio } from './outgoing-audio.js';
import { parseRtp, type RtpPacket } from './rtp.js';
import { likenessDb, receive, sentPackets } from './testing/network.js';
import { speechLike } from './testing/speech-like.js';

const RATE = 16_000;
const PER_FRAME = RATE / 50;
const speech = speechLike(2, RATE);

function started(sampleRate: 16_000 | 24_000 = RATE) {
  const clock = new ScriptedClock();
  const packets: (RtpPacket & { at: number })[] = [];
  const audio = new OutgoingAudio({
    sampleRate,
    ssrc: 0x1234,
    payloadType: 111,
    clock,
    send: (bytes) => packets.push({ ...parseRtp(bytes)!, at: clock.monotonic() }),
  });
  let spoken = 0;
  const speak = (frames: number) => {
    for (let n = 0; n < frames; n++, spoken = (spoken + 1) % 100) {
      const frame = speech.slice(spoken * PER_FRAME, (spoken + 1) * PER_FRAME);
      audio.sendFrame(new Uint8Array(frame.buffer));
      clock.advance(20);
    }
  };
  const since = (from: number, to: number) => (packets[to]!.timestamp - packets[from]!.timestamp) >>> 0;
  return { clock, packets, audio, speak, since };
}

describe('outgoing audio', () => {
  it('is one packet for each frame, numbered in order, the timestamps 20 ms apart at 48 kHz', () => {
    const { packets, speak, since } = started();
    speak(50);
    expect(packets.length).toBe(50);
    for (let n = 1; n < packets.length; n++) {
      expect((packets[n]!.sequenceNumber - packets[n - 1]!.sequenceNumber) & 0xffff).toBe(1);
      expect(since(n - 1, n)).toBe(960);
    }
    expect(packets.every(({ ssrc, payloadType }) => ssrc === 0x1234 && payloadType === 111)).toBe(true);
    expect(packets.map(({ marker }) => marker)).toEqual([true, ...Array(49).fill(false)]);
  });

  it('takes about 32 kbit/s', () => {
    const bytes = sentPackets(speech, RATE).reduce((sum, packet) => sum + packet.bytes.length - 12, 0);
    expect((bytes * 8) / 2).toBeGreaterThan(12_000);
    expect((bytes * 8) / 2).toBeLessThan(36_000);
  });

  it('sends silence behind the last frame until the encoder has gone silent, then nothing', () => {
    const { clock, packets, speak } = started();
    speak(50);
    clock.advance(1000);
    const tail = packets.slice(50);
    expect(tail.length).toBeGreaterThan(3);
    expect(tail.length).toBeLessThanOrEqual(25);
    expect(tail.at(-1)!.payload.length).toBeLessThanOrEqual(2);
    expect(clock.pending).toBe(0);
    clock.advance(60_000);
    expect(packets.length).toBe(50 + tail.length);
  });

  it('goes on after silence at the time that has passed, with the marker of a talk spurt', () => {
    const { clock, packets, speak, since } = started();
    speak(50);
    clock.advance(4000);
    const first = packets.length;
    speak(10);
    expect(packets[first]!.marker).toBe(true);
    expect(packets[first + 1]!.marker).toBe(false);
    expect(since(0, first)).toBe(5000 * 48);
    expect((packets[first]!.sequenceNumber - packets[first - 1]!.sequenceNumber) & 0xffff).toBe(1);
  });

  it('never goes back, also for frames that came ahead of their time', () => {
    const { clock, packets, audio, speak, since } = started();
    const frame = new Uint8Array(speech.slice(0, PER_FRAME).buffer);
    for (let n = 0; n < 20; n++) audio.sendFrame(frame);
    audio.clear();
    clock.advance(20);
    speak(5);
    for (let n = 1; n < packets.length; n++) expect(since(n - 1, n)).toBeGreaterThanOrEqual(960);
    expect(since(0, packets.length - 1)).toBeLessThan(2 * 960 * packets.length);
  });

  it('begins a talk spurt anew after it was cleared', () => {
    const { clock, packets, audio, speak } = started();
    speak(10);
    audio.clear();
    clock.advance(20);
    speak(2);
    const markers = packets.map(({ marker }) => marker);
    expect(markers.filter(Boolean).length).toBe(2);
    expect(markers.at(-2)).toBe(true);
  });

  it('goes through a pause within the frames without packets', () => {
    const { clock, packets, audio, speak, since } = started();
    speak(20);
    for (let n = 0; n < 50; n++) {
      audio.sendFrame(new Uint8Array(PER_FRAME * 2));
      clock.advance(20);
    }
    const silent = packets.length;
    speak(1);
    expect(silent).toBeLessThan(50);
    expect(since(0, packets.length - 1)).toBe(70 * 960);
    expect(packets.at(-1)!.marker).toBe(true);
  });

  it('is understood by the receiver, at both rates', () => {
    for (const rate of [16_000, 24_000] as const) {
      const spoken = speechLike(1, rate);
      const heard = receive(sentPackets(spoken, rate), rate, 1200).samples;
      const likeness = Array.from({ length: rate / 20 }, (_, delay) =>
        likenessDb(spoken.subarray(0, rate / 2), heard.subarray(delay)),
      );
      expect(Math.max(...likeness)).toBeGreaterThan(6);
    }
  });

  it('refuses frames of another length, and takes none when closed', () => {
    const { clock, packets, audio, speak } = started();
    expect(() => audio.sendFrame(new Uint8Array(160))).toThrow('A frame of 20 ms is 640 bytes, not 160');
    speak(3);
    audio.close();
    speak(3);
    clock.advance(1000);
    expect(packets.length).toBe(3);
    expect(clock.pending).toBe(0);
  });
});
