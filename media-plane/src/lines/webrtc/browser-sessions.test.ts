import { systemClock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { createLog } from '@voice/shared/log/log';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testCallPlan } from '../../testing/call-plan.js';
import { WebRtcHost } from './host.js';
import { WebRtcLines } from './lines.js';
import { mediasoupWorker, whyNoMediasoup } from './testing/mediasoup-binary.js';
import { plainAudioPath } from './testing/plain-audio-path.js';
import { WeriftPeer } from './testing/werift-peer.js';
import type { WebRtcLine } from './webrtc-line.js';

const log = createLog({ name: 'test', level: 'error' });
let host: WebRtcHost;
const peers: WeriftPeer[] = [];
let lines: WebRtcLines;

beforeAll(() => {
  host = new WebRtcHost({
    port: 0,
    address: { ip: '127.0.0.1', announced: undefined },
    worker: mediasoupWorker,
    clock: systemClock,
    log,
  });
  return () => host.close();
});

afterEach(async () => {
  lines.close();
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
});

/** A reserved call, a tester for it, and what the line reports of it. */
function scene() {
  const plan = testCallPlan({ carrier: { name: 'webrtc', protocol: 'webrtc' } });
  const reserved = new Map<string, CallPlan>([[plan.call_id, plan]]);
  const heard: string[] = [];
  const events: string[] = [];
  let line: WebRtcLine | undefined;
  lines = new WebRtcLines({
    host,
    audio: plainAudioPath,
    clock: systemClock,
    log,
    claim(callId) {
      const claimed = reserved.get(callId);
      reserved.delete(callId);
      return claimed;
    },
    startCall(_plan, started) {
      line = started;
      line.listen({
        onAudio: (frame) => heard.push(Buffer.from(frame).toString()),
        onDtmf: () => {},
        onMark: () => {},
        onInterrupted: () => events.push('interrupted'),
        onRestored: () => events.push('restored'),
        onClosed: () => events.push('closed'),
      });
    },
  });
  const createPeer = () => {
    const peer = new WeriftPeer((offer) => lines.answerOffer(plan.call_id, offer));
    peers.push(peer);
    return peer;
  };
  return { heard, events, createPeer, line: () => line! };
}

/** Both speak until each has heard the other say it. */
async function talk({ heard, line }: ReturnType<typeof scene>, peer: WeriftPeer, words: string) {
  await expect
    .poll(
      () => {
        peer.send(`caller: ${words}`);
        line().sendAudio(Buffer.from(`agent: ${words}`));
        return heard.includes(`caller: ${words}`) && peer.received.includes(`agent: ${words}`);
      },
      { timeout: 240_000, interval: 20 },
    )
    .toBe(true);
}

describe.skipIf(whyNoMediasoup())('a WebRTC session over mediasoup', () => {
  it('carries audio both ways, and reports statistics of its connection', async () => {
    const session = scene();
    const peer = session.createPeer();
    const { type, pc_id } = await peer.offer();
    expect({ type, pc_id }).toEqual({ type: 'answer', pc_id: expect.any(String) });
    expect(session.line().format).toEqual({ encoding: 'l16', sampleRate: 16_000 });
    await talk(session, peer, 'hello');
    expect(session.line().statistics().packetsReceived).toBeGreaterThan(0);
  });

  it('goes on after an ICE restart', async () => {
    const session = scene();
    const peer = session.createPeer();
    const first = await peer.offer();
    await talk(session, peer, 'before');
    const second = await peer.offer({ pc_id: first.pc_id }, { iceRestart: true });
    expect(second.pc_id).toBe(first.pc_id);
    const credentials = ({ sdp }: { sdp: string }) => /a=ice-pwd:.*/.exec(sdp)![0];
    expect(credentials(second)).not.toBe(credentials(first));
    await talk(session, peer, 'after');
    expect(session.events).not.toContain('closed');
  });

  it('goes on over a new connection, and reports the gap to the call', async () => {
    const session = scene();
    const peer = session.createPeer();
    const first = await peer.offer();
    await talk(session, peer, 'before');
    const other = session.createPeer();
    const second = await other.offer({ pc_id: first.pc_id, restart_pc: true });
    expect(second.pc_id).not.toBe(first.pc_id);
    await talk(session, other, 'after');
    expect(session.events).toEqual(['interrupted', 'restored']);
  });

  it('outlives the death of mediasoup’s worker, which is started again', async () => {
    const session = scene();
    const peer = session.createPeer();
    const first = await peer.offer();
    await talk(session, peer, 'before');
    const killed = host.pid!;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => session.events, { timeout: 240_000 }).toEqual(['interrupted']);
    await expect(peer.offer({ pc_id: first.pc_id })).rejects.toMatchObject({
      status: 409,
      code: 'webrtc_connection_lost',
    });
    await expect.poll(() => host.availability().available && host.pid !== undefined).toBe(true);
    expect(host.pid).not.toBe(killed);
    const other = session.createPeer();
    await other.offer({ restart_pc: true });
    await talk(session, other, 'after');
    expect(session.events).toEqual(['interrupted', 'restored']);
  });
});
