import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { AudioPath, IncomingAudioOptions, OutgoingAudioOptions } from './audio-path.js';
import type { SessionListener } from './session.js';
import { type LineSession, WebRtcLine } from './webrtc-line.js';

function scene(pipeline: 'cascaded' | 'realtime' = 'cascaded') {
  const events: string[] = [];
  let incoming: IncomingAudioOptions | undefined;
  let outgoing: OutgoingAudioOptions | undefined;
  let listener: SessionListener | undefined;
  const session: LineSession & { isConnected: boolean } = {
    agentSsrc: 42,
    isConnected: true,
    figures: { roundTripMs: 30, sentBitsPerSecond: 32_000, receivedBitsPerSecond: 28_000 },
    listen: (given) => {
      listener = given;
    },
    sendRtp: (packet) => events.push(`packet ${Buffer.from(packet)}`),
    close: () => events.push('session closed'),
  };
  const audio: AudioPath = {
    createIncoming(options) {
      incoming = options;
      return {
        receive: (packet) => events.push(`received ${Buffer.from(packet)}`),
        statistics: () => ({ packetsReceived: 50, packetsLost: 2, concealed: 3, jitterMs: 4, bufferMs: 60 }),
        close: () => events.push('incoming closed'),
      };
    },
    createOutgoing(options) {
      outgoing = options;
      return {
        sendFrame: (frame) => options.send(Buffer.from(`of ${Buffer.from(frame)}`)),
        clear: () => events.push('outgoing cleared'),
        close: () => events.push('outgoing closed'),
      };
    },
  };
  const line = new WebRtcLine({
    callId: 'call',
    pipeline,
    session,
    audio,
    clock: new ScriptedClock(),
    log: silentLog,
  });
  line.listen({
    onAudio: (frame, positionMs, concealed) =>
      events.push(`audio ${Buffer.from(frame)} at ${positionMs}${concealed ? ' concealed' : ''}`),
    onDtmf: () => {},
    onMark: () => {},
    onInterrupted: () => events.push('interrupted'),
    onRestored: () => events.push('restored'),
    onClosed: () => events.push('closed'),
  });
  return { line, session, events, incoming: incoming!, outgoing: outgoing!, listener: listener! };
}

describe('a WebRTC line', () => {
  it.each([
    ['cascaded', 16_000],
    ['realtime', 24_000],
  ] as const)('of a %s agent is linear audio at %i Hz both ways', (pipeline, sampleRate) => {
    const { line, incoming, outgoing } = scene(pipeline);
    expect(line.format).toEqual({ encoding: 'l16', sampleRate });
    expect(incoming.sampleRate).toBe(sampleRate);
    expect(outgoing).toMatchObject({ sampleRate, ssrc: 42, payloadType: 111 });
  });

  it('hands packets to the audio path, and its frames to the call', () => {
    const { events, incoming, listener } = scene();
    listener.onRtp(Buffer.from('rtp'));
    incoming.onFrame(Buffer.from('frame'), 40, true);
    expect(events).toEqual(['received rtp', 'audio frame at 40 concealed']);
  });

  it('sends the agent’s frames at once, and clears what the path still holds', () => {
    const { line, events } = scene();
    expect(line.sendAudio(Buffer.from('hello'))).toBe(true);
    expect(line.bufferedMs()).toBe(0);
    line.clear();
    expect(events).toEqual(['packet of hello', 'outgoing cleared']);
  });

  it('takes no frame while it is not connected, so that nothing is said to nobody', () => {
    const { line, session, events } = scene();
    session.isConnected = false;
    expect(line.sendAudio(Buffer.from('hello'))).toBe(false);
    expect(events).toEqual([]);
  });

  it('passes on interruptions', () => {
    const { events, listener } = scene();
    listener.onInterrupted();
    listener.onRestored();
    expect(events).toEqual(['interrupted', 'restored']);
  });

  it('says once that it is over, and nothing after it', () => {
    const { line, events, incoming, listener } = scene();
    listener.onClosed();
    listener.onClosed();
    incoming.onFrame(Buffer.from('late'), 0, false);
    line.close();
    expect(line.sendAudio(Buffer.from('late'))).toBe(false);
    expect(events).toEqual(['incoming closed', 'outgoing closed', 'closed']);
  });

  it('closed by its call ends the session, once', () => {
    const { line, events } = scene();
    line.close();
    line.close();
    expect(events).toEqual(['incoming closed', 'outgoing closed', 'session closed']);
  });

  it('gives the figures of audio and connection together', () => {
    expect(scene().line.statistics()).toEqual({
      packetsReceived: 50,
      packetsLost: 2,
      concealed: 3,
      jitterMs: 4,
      bufferMs: 60,
      roundTripMs: 30,
      sentBitsPerSecond: 32_000,
      receivedBitsPerSecond: 28_000,
    });
  });
});
