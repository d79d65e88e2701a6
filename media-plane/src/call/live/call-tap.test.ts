import { L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw } from '@voice/shared/audio/g711';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import type { ListenFormat } from '@voice/shared/contracts/live-streams';
import { describe, expect, it } from 'vitest';
import { CallTap } from './call-tap.js';

const speaking: LiveEvent = { type: 'state', state: 'speaking', at_ms: 10 };
const interim: LiveEvent = { type: 'transcript', role: 'caller', text: 'I wa', final: false, at_ms: 20 };

function follow(tap: CallTap) {
  const events: LiveEvent[] = [];
  let closed = false;
  const stop = tap.subscribe({
    onEvent: (event, text) => {
      expect(JSON.parse(text)).toEqual(event);
      events.push(event);
    },
    onClosed: () => {
      closed = true;
    },
  });
  return { events, stop, isClosed: () => closed };
}

/** Listens in; samples per channel. */
function listen(tap: CallTap, channels: 'mixed' | 'stereo') {
  const formats: ListenFormat[] = [];
  const bytes: number[] = [];
  const samples = (): number[] => {
    const all = Buffer.from(bytes);
    return Array.from({ length: all.length / 2 }, (_, i) => all.readInt16LE(i * 2));
  };
  const chunks: number[] = [];
  const stop = tap.listenIn(
    {
      onFormat: (format) => formats.push(format),
      onAudio: (chunk) => {
        chunks.push(chunk.length);
        bytes.push(...chunk);
      },
      onClosed: () => {},
    },
    { channels },
  );
  return { formats, samples, chunks, stop };
}

/** What was mixed has reached the listeners: portions go out one after the other, behind what is due. */
async function delivered(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const mulaw = (level: number) => encodeMulaw(new Int16Array(160).fill(level));
const linear = (level: number, samples = 320) => {
  const frame = Buffer.alloc(samples * 2);
  for (let i = 0; i < samples; i++) frame.writeInt16LE(level, i * 2);
  return frame;
};

describe('following a call', () => {
  it('gets every event from its subscription on, and the present moment first', () => {
    const tap = new CallTap();
    tap.publish(speaking);
    tap.publish(interim);
    const first = follow(tap);
    expect(first.events).toEqual([speaking, interim]);
    tap.publish({ ...interim, text: 'I want', final: true });
    const second = follow(tap);
    expect(second.events).toEqual([speaking]);
    first.stop();
    tap.publish({ ...speaking, state: 'listening' });
    expect(first.events).toHaveLength(3);
    expect(second.events).toHaveLength(2);
  });

  it('ends with the call', () => {
    const tap = new CallTap();
    const follower = follow(tap);
    tap.close();
    tap.publish(speaking);
    expect(follower.isClosed()).toBe(true);
    expect(follower.events).toEqual([]);
    expect(follow(tap).isClosed()).toBe(true);
  });
});

describe('listening in', () => {
  it('gets the format when the call begins, or at once', () => {
    const tap = new CallTap();
    const early = listen(tap, 'stereo');
    expect(early.formats).toEqual([]);
    tap.start(L16_16K);
    expect(early.formats).toEqual([{ type: 'format', encoding: 'l16', sample_rate: 16_000, channels: 2 }]);
    expect(listen(tap, 'mixed').formats).toEqual([
      { type: 'format', encoding: 'l16', sample_rate: 16_000, channels: 1 },
    ]);
  });

  it('hears both sides of the same time together: the caller left, the agent right', async () => {
    const tap = new CallTap();
    tap.start(PCMU_8K);
    const stereo = listen(tap, 'stereo');
    const mixed = listen(tap, 'mixed');
    for (let at = 0; at < 400; at += 20) {
      tap.callerAudio(mulaw(at === 100 ? 4000 : 0), at);
      // It is known to have been heard only afterwards.
      if (at >= 40) tap.agentAudio(mulaw(at - 40 === 100 ? 8000 : 0), at - 40);
    }
    await delivered();
    const loud = (samples: number[], channel: number, of: number) =>
      samples.flatMap((sample, i) =>
        i % of === channel && Math.abs(sample) > 1000 ? [(i - channel) / of] : [],
      );
    expect([loud(stereo.samples(), 0, 2)[0], loud(stereo.samples(), 0, 2).length]).toEqual([800, 160]);
    expect([loud(stereo.samples(), 1, 2)[0], loud(stereo.samples(), 1, 2).length]).toEqual([800, 160]);
    const sums = mixed.samples().filter((sample) => Math.abs(sample) > 1000);
    expect(sums).toHaveLength(160);
    for (const sum of sums) expect(sum).toBeCloseTo(12_000, -3);
    expect(new Set(mixed.chunks)).toEqual(new Set([640]));
  });

  it('waits longer where one side’s frames are always late', async () => {
    const tap = new CallTap();
    tap.start(PCMU_8K);
    const stereo = listen(tap, 'stereo');
    for (let at = 0; at < 4000; at += 20) {
      tap.callerAudio(mulaw(4000), at);
      if (at >= 300) tap.agentAudio(mulaw(8000), at - 300);
    }
    await delivered();
    const agent = stereo.samples().filter((sample, i) => i % 2 === 1 && sample > 1000);
    // Of the first half second some is lost, then nothing.
    expect(agent.length / 8).toBeGreaterThan(stereo.samples().length / 16 - 500);
    const last = stereo.samples().slice(-160);
    expect(last.filter((sample, i) => sample > (i % 2 === 0 ? 3000 : 7000))).toHaveLength(160);
  });

  it('bends two loud voices instead of clipping or wrapping round', async () => {
    const tap = new CallTap();
    tap.start(L16_16K);
    const mixed = listen(tap, 'mixed');
    for (let at = 0; at < 400; at += 20) {
      tap.callerAudio(linear(32_767), at);
      tap.agentAudio(linear(at < 200 ? 32_767 : 0), at);
    }
    await delivered();
    const samples = mixed.samples();
    expect(Math.min(...samples)).toBeGreaterThan(24_576);
    expect(Math.max(...samples)).toBeLessThanOrEqual(32_767);
    expect(samples[0]!).toBeGreaterThan(samples.at(-1)!);
  });

  it('reads A-law as it sounds', async () => {
    const tap = new CallTap();
    tap.start(PCMA_8K);
    const stereo = listen(tap, 'stereo');
    // ITU-T G.711, table 1a: 0xAA (inverted: full scale) and 0xD5 (the quietest positive value).
    for (let at = 0; at < 200; at += 20)
      tap.callerAudio(new Uint8Array(160).fill(at < 100 ? 0xaa : 0xd5), at);
    await delivered();
    expect([stereo.samples()[0], stereo.samples().at(-2)]).toEqual([32_256, 8]);
  });

  it('goes on after a gap in the caller’s stream, without its time as silence', async () => {
    const tap = new CallTap();
    tap.start(PCMU_8K);
    const mixed = listen(tap, 'mixed');
    for (let at = 0; at < 200; at += 20) tap.callerAudio(mulaw(4000), at);
    for (let at = 60_000; at < 60_200; at += 20) tap.callerAudio(mulaw(4000), at);
    await delivered();
    expect(mixed.samples().length / 8).toBe(2 * 120);
    expect(mixed.samples().every((sample) => sample > 1000)).toBe(true);
  });

  it('reaches many listeners with the same audio, a few at a time', async () => {
    const tap = new CallTap();
    tap.start(PCMU_8K);
    const many = Array.from({ length: 20 }, () => listen(tap, 'mixed'));
    for (let at = 0; at < 200; at += 20) tap.callerAudio(mulaw(at * 20), at);
    expect(many.filter(({ chunks }) => chunks.length > 0)).toHaveLength(0);
    await delivered();
    expect(many.every(({ chunks }) => chunks.length === 3)).toBe(true);
    for (const listener of many) expect(listener.samples()).toEqual(many[0]!.samples());
  });

  it('does nothing for a call that nobody listens to, and stops with the last listener', async () => {
    const tap = new CallTap();
    tap.start(PCMU_8K);
    const mixed = listen(tap, 'mixed');
    mixed.stop();
    for (let at = 0; at < 200; at += 20) tap.callerAudio(mulaw(4000), at);
    await delivered();
    expect(mixed.chunks).toEqual([]);
    expect(tap.isListenedTo).toBe(false);
  });
});
