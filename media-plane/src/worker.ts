import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHttpTool } from '@voice/shared/agent-tools/http-tool';
import { createMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { loadMcpClient } from '@voice/shared/agent-tools/mcp/server-session';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { Log } from '@voice/shared/log/log';
import { assemblePipeline } from './call/assemble.js';
import { Call } from './call/call.js';
import type { CallEnvironment } from './call/call-environment.js';
import { DecisionLog } from './call/decision-log.js';
import { CallRegistry } from './call/registry.js';
import type { MediaStreamCodec, MediaStreamEvent, MediaStreamSink } from './carriers/port.js';
import { TelnyxMediaStreamCodec } from './carriers/telnyx/media-stream-codec.js';
import { TwilioMediaStreamCodec } from './carriers/twilio/media-stream-codec.js';
import type { WorkerConfig } from './config.js';
import { ControlPlaneClient } from './control-link/control-plane-client.js';
import { EventSender } from './control-link/event-sender.js';
import { EventSpool } from './control-link/event-spool.js';
import { HeartbeatLoop } from './control-link/heartbeat.js';
import { createIntegrationTool } from './control-link/integration-tool.js';
import { Uploads } from './control-link/uploads.js';
import { addControlRoutes } from './http/control-routes.js';
import { addHealthRoutes } from './http/health-routes.js';
import { addMediaStreams } from './http/media-streams.js';
import { addTesterStreams } from './http/tester-streams.js';
import { createProviders } from './providers/registry.js';
import { createVoiceActivityDetector } from './providers/vad/detector.js';
import { recordingDurationMs } from './recording/recorder.js';
import { Pacer } from './streams/pacer.js';

export interface Worker {
  readonly port: number;
  /** Takes no more calls, waits for the live ones up to the drain time, delivers what is spooled, and stops. */
  drain(): Promise<void>;
  /** Ends the live calls now; `drain` then comes to its end. */
  endCalls(): void;
}

/** How long the end of the process waits for the control plane to take the last events and files, in ms. */
const FLUSH_MS = 10_000;

/**
 * Assembles a worker from its parts and starts it.
 * @throws Error with a plain text when the port is taken
 */
export async function startWorker(config: WorkerConfig, clock: Clock, log: Log): Promise<Worker> {
  mkdirSync(config.spoolDir, { recursive: true });
  const client = new ControlPlaneClient({
    baseUrl: config.controlPlaneUrl,
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
  const spool = new EventSpool({
    dir: join(config.spoolDir, 'events'),
    clock,
    log,
    onEvent: () => sender.notify(),
  });
  const uploads = new Uploads({
    dir: join(config.spoolDir, 'uploads'),
    client,
    clock,
    log,
    recordingDurationMs,
  });

  await loadMcpClient();
  const egress = createAddressPolicy(config.egressAllow);
  const providers = createProviders({ clock, log, egress });
  const detector = await createVoiceActivityDetector({ clock, log });
  const pacer = new Pacer(clock, (error) =>
    log.error({ error: String(error) }, 'a call could not be served'),
  );

  const registry = new CallRegistry({
    capacity: config.capacity,
    clock,
    onExpired: (plan) => {
      log.warn({ call_id: plan.call_id }, 'no media stream came for a reserved call');
      spool.append(plan.call_id, streamNeverCame(plan));
    },
  });

  const environment: CallEnvironment = {
    clock,
    log,
    detector,
    assemble: (plan, notice) =>
      assemblePipeline(plan, {
        providers,
        clock,
        notice,
        recordingPath: uploads.recordingPath(plan.call_id),
      }),
    openOutput: (sink, events) => pacer.open(sink, events),
    openDecisionLog: (callId, options) => new DecisionLog(uploads.decisionLogPath(callId), options),
    emit: (callId, body) => spool.append(callId, body),
    httpTool: createHttpTool({ policy: egress, clock }),
    integrationTool: createIntegrationTool(client),
    openMcpTools: createMcpTools({ policy: egress, clock }),
    onEnded(call, { recorder, decisions }) {
      registry.remove(call.id);
      void decisions.close().then(() => uploads.decisionLogReady(call.id));
      recorder?.finish().then(
        ({ durationMs }) => uploads.recordingReady(call.id, durationMs),
        (error: unknown) =>
          log.error({ call_id: call.id, error: String(error) }, 'a recording could not be finished'),
      );
    },
  };

  const app = App();
  let mediaUrl = config.mediaPublicUrl ?? '';
  let controlUrl = config.controlUrl ?? '';
  const heartbeat: HeartbeatLoop = new HeartbeatLoop({
    client,
    clock,
    log,
    report: () => ({
      worker_id: config.workerId,
      control_url: controlUrl,
      media_url: mediaUrl,
      capacity: config.capacity,
      live: registry.live,
      reserved: registry.reserved,
      draining: registry.draining,
      calls: registry.callIds(),
    }),
    onReply: (reply) => {
      for (const callId of reply.ended_calls) {
        registry.release(callId);
        registry.find(callId)?.end('operator_hangup');
      }
    },
  });
  addControlRoutes(app, {
    registry,
    workerId: config.workerId,
    secret: config.internalSecret,
    clock,
    mediaUrl: () => mediaUrl,
    checkPlan: (plan) => {
      const pipeline = assemblePipeline(plan, {
        providers,
        clock,
        notice: () => {},
        recordingPath: undefined,
      });
      pipeline.textToSpeech.warm?.();
    },
    onError: (error) => log.error({ error: String(error) }, 'a command failed'),
  });
  addHealthRoutes(app, { registry, spool, heartbeat });
  const codecs: Readonly<
    Record<Exclude<CallPlan['carrier']['protocol'], 'websocket'>, () => MediaStreamCodec>
  > = {
    twilio: () => new TwilioMediaStreamCodec(),
    telnyx: () => new TelnyxMediaStreamCodec(),
  };
  const claim = (callId: string, token: string) => registry.claim(callId, token);
  const startCall = (
    plan: CallPlan,
    started: Extract<MediaStreamEvent, { type: 'started' }>,
    sink: MediaStreamSink,
  ) => {
    const call = new Call(plan, started, sink, environment);
    if (!call.ended) registry.add(call);
    return call;
  };
  for (const [protocol, createCodec] of Object.entries(codecs)) {
    addMediaStreams(app, { path: `/streams/${protocol}`, createCodec, clock, log, claim, startCall });
  }
  addTesterStreams(app, { clock, log, secret: config.internalSecret, claim, startCall });

  const socket = await listen(app, config);
  const port = us_socket_local_port(socket);
  mediaUrl ||= `ws://127.0.0.1:${port}`;
  controlUrl ||= `http://127.0.0.1:${port}`;
  heartbeat.start();
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
      const flushing = AbortSignal.timeout(FLUSH_MS);
      await sender.flush(flushing);
      await uploads.flush(flushing);
      heartbeat.stop();
      sender.stop();
      uploads.stop();
      spool.close();
      us_listen_socket_close(socket);
      app.close();
      detector.close();
      await providers.close();
    },
  };
}

function streamNeverCame(plan: CallPlan) {
  const { voice_config: voice } = plan.agent;
  const none = { provider: '', model: '' };
  const { stt = none, llm = none, tts = none } = 'stt' in voice ? voice : {};
  return {
    kind: 'ended',
    end_reason: 'carrier_failed',
    duration_ms: 0,
    error_code: 'media_stream_missing',
    error_message: 'The carrier did not open the media stream in time.',
    usage: {
      stt: { provider: stt.provider, model: stt.model, audio_ms: 0 },
      llm: { provider: llm.provider, model: llm.model, input_tokens: 0, output_tokens: 0 },
      tts: { provider: tts.provider, model: tts.model, characters: 0 },
    },
    has_recording: false,
  } as const;
}

/** uWebSockets.js takes host, port and options together, though its types do not say so. */
type ListenOnHost = (
  host: string,
  port: number,
  options: number,
  onListening: (socket: us_listen_socket | false) => void,
) => void;

/** Without it two workers would share a port in silence (`LIBUS_LISTEN_EXCLUSIVE_PORT`). */
const EXCLUSIVE_PORT = 1;

function listen(app: ReturnType<typeof App>, { host, port }: WorkerConfig): Promise<us_listen_socket> {
  const listenOnHost = app.listen.bind(app) as unknown as ListenOnHost;
  return new Promise((resolve, reject) => {
    listenOnHost(host, port, EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(socket);
      else {
        const remedy = 'Choose another with MEDIA_PORT, or stop what uses it.';
        reject(new Error(`Port ${port} of ${host} is taken. ${remedy}`));
      }
    });
  });
}
