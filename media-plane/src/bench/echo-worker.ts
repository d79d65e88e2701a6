/**
 * The bench's WebRTC line without an agent: what a caller says comes back as it leaves the line's jitter buffer and
 * decoder, through its encoder. Started by `npm run bench -- --line webrtc` (loadtest/bench/mouth-to-ear.ts), never
 * by the system.
 */
import { App, us_socket_local_port } from 'uWebSockets.js';
import { systemClock } from '@voice/shared/clock/clock';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { createLog } from '@voice/shared/log/log';
import { readConfig } from '../config.js';
import { listen } from '../http/listen.js';
import { opusAudioPath } from '../lines/webrtc/audio/opus-audio-path.js';
import { WebRtcHost } from '../lines/webrtc/host.js';
import { PeerConnection } from '../lines/webrtc/peer-connection.js';
import { addWebRtcRoute } from '../lines/webrtc/route.js';
import { WebRtcSession } from '../lines/webrtc/session.js';
import { WebRtcLine } from '../lines/webrtc/webrtc-line.js';

const clock = systemClock;
const config = readConfig({ MEDIA_PORT: '0', ...process.env });
const log = createLog({ name: config.workerId, level: config.logLevel });
const host = new WebRtcHost({ ...config.webRtc, clock, log });
const sessions = new Set<WebRtcSession>();

function openSession(callId: string): WebRtcSession {
  const session: WebRtcSession = new WebRtcSession({
    callId,
    host,
    clock,
    log,
    openConnection: (options) => PeerConnection.open(options),
    onEnded: () => void sessions.delete(session),
  });
  sessions.add(session);
  const line = new WebRtcLine({
    callId,
    pipeline: 'cascaded',
    session,
    audio: opusAudioPath,
    clock,
    log,
  });
  line.listen({
    onAudio: (frame) => void line.sendAudio(frame),
    onDtmf: () => {},
    onMark: () => {},
    onClosed: () => {},
  });
  return session;
}

const app = App();
addWebRtcRoute(app, {
  lines: { answerOffer: (callId, offer) => openSession(callId).negotiate(offer) },
  verifier: new InterPlaneVerifier({ secret: config.internalSecret, clock }),
  onError: (error) => log.error({ error: String(error) }, 'an offer failed'),
});
await host.prepare();
const socket = await listen(app, config);
process.send?.({ type: 'ready', port: us_socket_local_port(socket) });

function stop(): void {
  for (const session of sessions) session.end();
  host.close();
  // Mediasoup's worker ends with its channel.
  setTimeout(() => process.exit(0), 100);
}
process.once('SIGTERM', stop);
process.once('disconnect', stop);
