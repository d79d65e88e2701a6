import { createHttpTool } from '@voice/shared/agent-tools/http-tool';
import { createMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { Clock } from '@voice/shared/clock/clock';
import { durableLiveEvent } from '@voice/shared/contracts/durable-live-event';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import type { Log } from '@voice/shared/log/log';
import type { CallEnvironment } from './call/call-environment.js';
import type { CallStatistics } from './call/call-statistics.js';
import { DecisionLog } from './call/decision-log.js';
import type { LiveTaps } from './call/live/live-taps.js';
import { runEach } from './call/run-each.js';
import type { CallTraces } from './call/tracing/call-traces.js';
import type { WorkerConfig } from './config.js';
import type { ControlPlaneClient } from './control-link/control-plane-client.js';
import type { EventSpool } from './control-link/event-spool.js';
import { createRequestHandoff } from './control-link/handoff.js';
import { createIntegrationTool } from './control-link/integration-tool.js';
import type { SpoolStorage } from './control-link/spool-storage.js';
import type { Uploads } from './control-link/uploads.js';
import { type ConversationOptions, createConversation } from './create-conversation.js';
import type { Disk } from './disk/port.js';
import { turnDeadlineMs } from './providers/resilience/limits.js';
import { createRecorder } from './recording/recorder.js';
import { recordingResumed } from './recording/recording-resumed.js';
import type { Pacer } from './streams/pacer.js';
import { pacingOf } from './streams/pacing-options.js';

interface CallEnvironmentOptions
  extends Pick<ConversationOptions, 'providers' | 'breakers' | 'detector' | 'endOfTurn' | 'speechCache'> {
  readonly config: Pick<WorkerConfig, 'answerLimits'>;
  readonly client: ControlPlaneClient;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly log: Log;
  readonly statistics: CallStatistics;
  readonly egress: AddressPolicy;
  readonly pacer: Pacer;
  readonly spool: EventSpool;
  readonly storage: Pick<SpoolStorage, 'full'>;
  readonly uploads: Uploads;
  readonly taps: LiveTaps;
  /** Undefined: calls are not traced. */
  readonly traces: CallTraces | undefined;
  /** Gives the place of a call back that is over. */
  readonly freePlace: (callId: string) => void;
}

/** Creates what a worker gives to each of its calls. */
export function createCallEnvironment({
  config,
  client,
  clock,
  disk,
  log,
  statistics,
  egress,
  pacer,
  spool,
  storage,
  uploads,
  taps,
  traces,
  freePlace,
  ...shared
}: CallEnvironmentOptions): CallEnvironment {
  return {
    clock,
    log,
    createConversation: (plan, { tools, notice }) =>
      createConversation(plan, {
        ...shared,
        providers: traces?.providers(shared.providers, plan) ?? shared.providers,
        clock,
        log,
        tools,
        notice,
        answerLimits: config.answerLimits,
      }),
    turnDeadlineMs: ({ agent }) => turnDeadlineMs(config.answerLimits, agent),
    statistics,
    openOutput: (line, events) => pacer.open(line, events, pacingOf(line)),
    openRecorder: (plan, format) =>
      plan.agent.recording.enabled
        ? createRecorder({
            path: uploads.recordingPath(plan.call_id),
            format,
            clock,
            disk,
            hasRoom: () => !storage.full,
            onStopped: ({ message }) =>
              spool.append(plan.call_id, { kind: 'notice', code: 'recording_stopped', message }),
            onResumed: (lost) => spool.append(plan.call_id, recordingResumed(lost)),
          })
        : undefined,
    openDecisionLog: (callId, turnTaking) =>
      new DecisionLog({ path: uploads.decisionLogPath(callId), turnTaking, clock, disk }),
    openTap: (callId) => taps.open(callId),
    emit: (callId, body) => {
      const live = durableLiveEvent(spool.append(callId, body));
      if (live) taps.find(callId)?.publish(live);
      traces?.take(callId, body);
    },
    httpTool: createHttpTool({ policy: egress, clock }),
    integrationTool: createIntegrationTool(client),
    requestHandoff: createRequestHandoff(client),
    openMcpTools: createMcpTools({ policy: egress, clock }),
    onEnded(callId, { recorder, decisions }) {
      const steps = {
        place: () => freePlace(callId),
        followers: () => taps.close(callId),
        decisions: () => uploads.decisionLogEnded(callId, decisions.close()),
        recording: () => recorder && uploads.recordingEnded(callId, recorder.finish()),
      };
      runEach(steps, (step, error) =>
        log.error(
          { call_id: callId, step, error: String(error) },
          'a call that is over leaves something behind',
        ),
      );
    },
  };
}
