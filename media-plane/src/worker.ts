import { App, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadMcpClient } from '@voice/shared/agent-tools/mcp/server-session';
import { AdjustedClock } from '@voice/shared/clock/adjusted-clock';
import type { Clock } from '@voice/shared/clock/clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import type { Log } from '@voice/shared/log/log';
import { createTracer } from '@voice/shared/tracing/otlp-tracer';
import { Call } from './call/call.js';
import { CallStatistics } from './call/call-statistics.js';
import { LiveTaps } from './call/live/live-taps.js';
import { missingStream } from './call/missing-stream.js';
import { noUsage } from './call/no-usage.js';
import { PreparedCalls } from './call/prepared-calls.js';
import { CallRegistry } from './call/registry.js';
import { CallTraces } from './call/tracing/call-traces.js';
import type { WorkerConfig } from './config.js';
import { ControlPlaneClient } from './control-link/control-plane-client.js';
import { EventSender } from './control-link/event-sender.js';
import { EventSpool } from './control-link/event-spool.js';
import { flushAll } from './control-link/flush-all.js';
import { HeartbeatLoop } from './control-link/heartbeat.js';
import { SpoolStorage } from './control-link/spool-storage.js';
import { spooledCalls } from './control-link/spooled-calls.js';
import { Uploads } from './control-link/uploads.js';
import { SpeechCache } from './conversation/speech-cache.js';
import { createCallEnvironment } from './create-call-environment.js';
import { DiskClient } from './disk/disk-client.js';
import { addControlRoutes } from './http/control-routes.js';
import { addExplainRoute } from './http/explain-route.js';
import { addHealthRoutes } from './http/health-routes.js';
import { listen } from './http/listen.js';
import { addLiveRoutes } from './http/live-routes.js';
import type { Admission } from './lines/admission.js';
import { CARRIER_CODECS } from './lines/carrier-codecs.js';
import { carrierStreams } from './lines/carrier-line.js';
import { addStreams } from './lines/stream-server.js';
import { UnstartedStreams } from './lines/unstarted-streams.js';
import { opusAudioPath } from './lines/webrtc/audio/opus-audio-path.js';
import { WebRtcHost } from './lines/webrtc/host.js';
import { WebRtcLines } from './lines/webrtc/lines.js';
import { addWebRtcRoute } from './lines/webrtc/route.js';
import { testerStreams } from './lines/websocket/tester-streams.js';
import { watchLoad } from './load/watch-load.js';
import { createEndOfTurnDetector } from './providers/end-of-turn/create-detector.js';
import { createProviders } from './providers/registry/registry.js';
import { CircuitBreakers } from './providers/resilience/circuit-breakers.js';
import { createVoiceActivityDetector } from './providers/vad/detector.js';
import { EncoderClient } from './recording/encoder-client.js';
import type { StrayErrors } from './stray-errors.js';
import { Pacer } from './streams/pacer.js';

export interface Worker {
  readonly port: number;
  /** Takes no more calls, waits for the live ones up to the drain time, delivers what is spooled, and stops. */
  drain(): Promise<void>;
  /** Ends the live calls now; `drain` then comes to its end. */
  endCalls(): void;
}

export interface WorkerParts {
  /** The machine's. */
  readonly clock: Clock;
  readonly log: Log;
  /** What its metrics count. */
  readonly strayErrors: Pick<StrayErrors, 'count'>;
}

/**
 * Assembles a worker from its parts and starts it.
 * @throws Error with a plain text when the port is taken
 */
export async function startWorker(
  config: WorkerConfig,
  { clock: machineClock, log, strayErrors }: WorkerParts,
): Promise<Worker> {
  const clock = new AdjustedClock(machineClock);
  mkdirSync(config.spoolDir, { recursive: true });
  const tracer = createTracer({
    settings: config.tracing,
    resource: { 'service.name': 'media-worker', 'service.instance.id': config.workerId },
    clock,
    log,
  });
  const client = new ControlPlaneClient({
    baseUrls: config.controlPlaneUrls,
    secret: config.internalSecret,
    clock,
  });
  const sender: EventSender = new EventSender({
    client,
    spool: () => spool,
    workerId: config.workerId,
    clock,
    log,
  });
  const disk = new DiskClient(clock);
  const spool = new EventSpool({
    dir: join(config.spoolDir, 'events'),
    clock,
    disk,
    log,
    onEvent: (kind) => sender.notify(kind),
    onUnwritable: (error) => storage.failed(error),
  });
  const storage: SpoolStorage = new SpoolStorage({
    dir: config.spoolDir,
    clock,
    log,
    catchUp: () => spool.catchUp(),
    onChange: () => void heartbeat.beat(),
  });
  const encoder = new EncoderClient();
  const uploads = new Uploads({
    dir: join(config.spoolDir, 'uploads'),
    client,
    clock,
    log,
    encodeRecording: (rawPath, mp3Path, onProgress) => encoder.encode(rawPath, mp3Path, onProgress),
  });

  await loadMcpClient();
  const egress = createAddressPolicy(config.egressAllow);
  const providers = createProviders({ clock, log, egress, models: config.models });
  const breakers = new CircuitBreakers(clock, (kind, provider) =>
    log.warn({ kind, provider }, 'a provider fails: calls with a fallback leave it alone for a while'),
  );
  const detector = await createVoiceActivityDetector({ clock, log });
  const endOfTurn = createEndOfTurnDetector({ files: config.models.endOfTurn, clock, log });
  const speechCache = new SpeechCache(clock);
  const pacer = new Pacer(clock, (error) =>
    log.error({ error: String(error) }, 'a call could not be served'),
  );

  const registry: CallRegistry = new CallRegistry({
    capacity: config.capacity,
    clock,
    hasStorage: () => !storage.full,
    isOverloaded: () => load.isOverloaded,
    onExpired: (plan) => {
      log.warn({ call_id: plan.call_id }, 'no media stream came for a reserved call');
      spool.append(plan.call_id, missingStream(prepared.usage(plan.call_id) ?? noUsage(plan)));
    },
    onGone: (callId) => {
      prepared.abandon(callId);
      taps.close(callId);
    },
  });

  const isIdle = () => registry.live === 0;
  const load = watchLoad({ limitMs: config.lagLimitMs, isIdle, clock, log });
  const taps = new LiveTaps({ clock, holds: (callId) => registry.holds(callId) });
  const statistics = new CallStatistics();
  const environment = createCallEnvironment({
    config,
    client,
    clock,
    disk,
    log,
    providers,
    breakers,
    detector,
    endOfTurn,
    speechCache,
    statistics,
    egress,
    pacer,
    spool,
    storage,
    uploads,
    taps,
    traces: tracer.isOn ? new CallTraces({ tracer, clock }) : undefined,
    freePlace: (callId) => registry.remove(callId),
  });

  const prepared: PreparedCalls = new PreparedCalls(environment);
  const admission: Admission = {
    claim: (callId, token) => registry.claim(callId, token),
    startCall: (plan, line) => {
      const call = new Call({ prepared: prepared.take(plan), line, environment });
      if (!call.ended) registry.add(call);
    },
  };
  const host = new WebRtcHost({ ...config.webRtc, clock, log });
  const webRtc = new WebRtcLines({
    host,
    audio: opusAudioPath,
    clock,
    log,
    claim: (callId) => registry.claimWebRtc(callId),
    startCall: admission.startCall,
  });
  const app = App();
  const onError = (error: unknown) => log.error({ error: String(error) }, 'a command failed');
  let mediaUrl = config.mediaPublicUrl ?? '';
  let controlUrl = config.controlUrl ?? '';
  const heartbeat: HeartbeatLoop = new HeartbeatLoop({
    client,
    clock,
    adjustable: clock,
    log,
    report: () => ({
      spooled_calls: spooledCalls([spool, uploads], (callId) => registry.holds(callId)),
      worker_id: config.workerId,
      region: config.region,
      control_url: controlUrl,
      media_url: mediaUrl,
      capacity: config.capacity,
      live: registry.live,
      reserved: registry.reserved,
      draining: registry.draining,
      storage_full: storage.full,
      calls: registry.callIds(),
      webrtc: host.availability(),
    }),
    onReply: (reply) => {
      for (const callId of reply.ended_calls) {
        registry.release(callId);
        registry.find(callId)?.end('operator_hangup');
      }
    },
  });
  const verifier = new InterPlaneVerifier({ secret: config.internalSecret, clock });
  addControlRoutes(app, {
    registry,
    workerId: config.workerId,
    verifier,
    mediaUrl: () => mediaUrl,
    prepare: (plan) => prepared.prepare(plan),
    usageOf: (callId) => prepared.givenUpUsage(callId),
    keepNote: (callId, text) => prepared.keepNote(callId, text),
    onError,
  });
  addLiveRoutes(app, {
    tap: (callId) => taps.find(callId),
    pending: (callId) => spool.pendingOf(callId),
    verifier,
    log,
  });
  addExplainRoute(app, { verifier, onError });
  addWebRtcRoute(app, { lines: webRtc, verifier, onError });
  addHealthRoutes(app, {
    registry,
    spool,
    storage,
    heartbeat,
    breakers,
    load,
    statistics,
    speechCache,
    strayErrors,
    tracer,
  });
  const lines = { admission, clock, log };
  const unstarted = new UnstartedStreams();
  for (const [protocol, createCodec] of Object.entries(CARRIER_CODECS)) {
    const make = () => createCodec({ clock });
    const streams = carrierStreams(`/streams/${protocol}`, make, { ...lines, unstarted });
    addStreams(app, streams, log);
  }
  addStreams(app, testerStreams({ ...lines, secret: config.internalSecret }), log);

  const socket = await listen(app, config);
  const port = us_socket_local_port(socket);
  mediaUrl ||= `ws://127.0.0.1:${port}`;
  controlUrl ||= `http://127.0.0.1:${port}`;
  heartbeat.start();
  storage.start();
  void host
    .prepare()
    .catch((error: unknown) => log.warn({ error: String(error) }, 'mediasoup could not be loaded'));
  sender.notify();
  uploads.start();

  const endCalls = () => {
    for (const callId of registry.callIds()) registry.release(callId);
    for (const call of [...registry.calls()]) call.end('operator_hangup');
  };
  return {
    port,
    endCalls,
    async drain() {
      const idle = registry.drain();
      void heartbeat.beat();
      const limit = clock.schedule(config.drainMs, endCalls);
      await idle;
      limit.cancel();
      await flushAll({ sender, spool, uploads, clock, log });
      heartbeat.stop();
      storage.stop();
      load.stop();
      sender.stop();
      uploads.stop();
      await spool.close();
      webRtc.close();
      host.close();
      taps.closeAll();
      us_listen_socket_close(socket);
      app.close();
      detector.close();
      await endOfTurn?.close();
      await providers.close();
      await tracer.close();
    },
  };
}
