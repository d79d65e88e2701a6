import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { Log } from '@voice/shared/log/log';
import type { RequestHandoff } from '../control-link/handoff.js';
import type { IntegrationTool } from '../control-link/integration-tool.js';
import type { Conversation } from '../conversation/port.js';
import type { MediaLine } from '../lines/port.js';
import type { Recorder } from '../recording/recorder.js';
import type { PacedOutput, PacedOutputEvents } from '../streams/pacer-port.js';
import type { CallStatistics } from './call-statistics.js';
import type { DecisionLog } from './decision-log.js';
import type { CallTap } from './live/call-tap.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** A call's stereo recording: caller left, agent right. Positions are ms of the caller's media stream. */
export type CallRecorder = Recorder;

/** What of a call is ready to be finished when it has ended. */
interface CallArtifacts {
  readonly recorder: CallRecorder | undefined;
  readonly decisions: DecisionLog;
}

/** A call's paced output to its line. */
export interface CallOutput extends PacedOutput {
  /** Handles a mark that came back from the line. */
  markReturned(name: string): void;
}

/** What a worker gives to each of its calls. */
export interface CallEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Creates the conversation that the plan's agent wants, with time-outs and fallbacks around its providers.
   * @throws ProviderError when the plan names a provider that this worker does not have
   */
  createConversation(
    plan: CallPlan,
    options: {
      readonly tools: readonly LlmTool[];
      readonly notice: (code: string, message: string) => void;
    },
  ): Conversation;
  /** From the end of the caller's turn to the first audio of its answer, in ms; none by default. */
  readonly turnDeadlineMs?: (plan: CallPlan) => number;
  /** What calls came to, for the metrics and for later calls; by default nothing is kept. */
  readonly statistics?: CallStatistics;
  openOutput(line: MediaLine, events: PacedOutputEvents): CallOutput;
  /** Opens the call's recorder; undefined when the agent is not recorded. */
  openRecorder(plan: CallPlan, format: AudioFormat): CallRecorder | undefined;
  /** Opens the tap for the call's followers and listeners. */
  openTap(callId: string): CallTap;
  openDecisionLog(callId: string, options: TurnTakingOptions): DecisionLog;
  /** Numbers and spools an event, and publishes it to those who follow. */
  emit(callId: string, body: CallEventBody): void;
  readonly httpTool: HttpTool;
  readonly integrationTool: IntegrationTool;
  readonly openMcpTools: OpenMcpTools;
  readonly requestHandoff: RequestHandoff;
  /** Called when the call is over: its place is free, its artifacts can be finished. */
  onEnded(callId: string, artifacts: CallArtifacts): void;
}
