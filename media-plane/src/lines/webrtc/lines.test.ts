import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { createLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { testCallPlan } from '../../testing/call-plan.js';
import { WebRtcLines, type WebRtcLinesOptions } from './lines.js';
import { webRtcNotAvailable } from './not-available.js';
import { CHROMIUM } from './sdp/testing/offers.js';
import { plainAudioPath } from './testing/plain-audio-path.js';
import { scriptedConnections } from './testing/scripted-connections.js';
import type { WebRtcLine } from './webrtc-line.js';

const offer = { sdp: CHROMIUM, type: 'offer' } as const;

function scene(changes: Partial<WebRtcLinesOptions> = {}) {
  const plan = testCallPlan();
  const reserved = new Map<string, CallPlan>([[plan.call_id, plan]]);
  const started: WebRtcLine[] = [];
  const closed: string[] = [];
  const { opened, openConnection, host } = scriptedConnections();
  const lines = new WebRtcLines({
    host,
    audio: plainAudioPath,
    clock: new ScriptedClock(),
    log: createLog({ name: 'test', level: 'error' }),
    openConnection,
    claim(callId) {
      const claimed = reserved.get(callId);
      reserved.delete(callId);
      return claimed;
    },
    startCall(_plan, line) {
      started.push(line);
      const ignore = () => {};
      line.listen({ onAudio: ignore, onDtmf: ignore, onMark: ignore, onClosed: () => closed.push('closed') });
    },
    ...changes,
  });
  return { lines, callId: plan.call_id, reserved, started, opened, closed };
}

describe('an offer for a call', () => {
  it('that is reserved starts it; with its pc_id a later one reaches the same session', async () => {
    const { lines, callId, started, opened } = scene();
    const { pc_id } = await lines.answerOffer(callId, offer);
    expect(started).toHaveLength(1);
    expect(started[0]).toMatchObject({ streamId: callId, carrierCallId: `webrtc-${callId}` });
    await lines.answerOffer(callId, { ...offer, pc_id });
    expect([started.length, opened.length, opened[0]!.answers]).toEqual([1, 1, 2]);
  });

  it('that nobody reserved is refused with 404, and leaves no connection', async () => {
    const { lines, opened } = scene();
    await expect(lines.answerOffer('another', offer)).rejects.toMatchObject({
      status: 404,
      code: 'call_not_found',
    });
    expect(opened.map(({ state }) => state)).toEqual(['closed']);
  });

  it('that cannot be answered leaves the reservation for the next try', async () => {
    const { lines, callId, reserved, started } = scene();
    await expect(lines.answerOffer(callId, { ...offer, sdp: 'v=0\r\n' })).rejects.toMatchObject({
      code: 'sdp_not_supported',
    });
    expect(reserved.size).toBe(1);
    await lines.answerOffer(callId, offer);
    expect(started).toHaveLength(1);
  });

  it('while WebRTC is not available is refused with the time left, and leaves the reservation', async () => {
    const room = async () => {
      throw webRtcNotAvailable('mediasoup’s worker is on its way: building.', 90.2);
    };
    const { lines, callId, reserved } = scene({ host: { room } });
    await expect(lines.answerOffer(callId, offer)).rejects.toMatchObject({
      status: 503,
      code: 'webrtc_not_available',
      message: 'WebRTC is not available: mediasoup’s worker is on its way: building.',
      fields: { ready_in_seconds: 90.2 },
      retryAfterSeconds: 91,
    });
    expect(reserved.size).toBe(1);
  });

  it('on the heels of the first finds the session that the first makes', async () => {
    const { lines, callId, started } = scene();
    const [first, second] = await Promise.allSettled([
      lines.answerOffer(callId, offer),
      lines.answerOffer(callId, offer),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'webrtc_already_connected' } });
    expect(started).toHaveLength(1);
  });

  it('after the call has ended is refused with 404', async () => {
    const { lines, callId, started } = scene();
    const { pc_id } = await lines.answerOffer(callId, offer);
    started[0]!.close();
    await expect(lines.answerOffer(callId, { ...offer, pc_id })).rejects.toMatchObject({ status: 404 });
  });
});

it('closing ends every session and notifies its call', async () => {
  const { lines, callId, opened, closed } = scene();
  await lines.answerOffer(callId, offer);
  lines.close();
  expect(opened[0]!.state).toBe('closed');
  expect(closed).toEqual(['closed']);
});
