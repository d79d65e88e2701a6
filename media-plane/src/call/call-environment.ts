import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallEventBody, CallUsage } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { MediaStreamSink } from '../carriers/port.js';
import type { IntegrationTool } from '../control-link/integration-tool.js';
import type { LanguageModel } from '../providers/llm/port.js';
import type { SpeechToText } from '../providers/stt/port.js';
import type { TextToSpeech } from '../providers/tts/port.js';
import type { VoiceActivityDetector } from '../providers/vad/port.js';
import type { PacedOutput, PacedOutputEvents } from '../streams/pacer-port.js';
import type { Call } from './call.js';
import type { DecisionLog } from './decision-log.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** A call's stereo recording: caller left, agent right. Positions are ms of the caller's media stream. */
export interface CallRecorder {
  caller(frame: Uint8Array, timestampMs: number): void;
  agent(frame: Uint8Array, atMs: number): void;
  finish(): Promise<{ readonly durationMs: number; readonly bytes: number }>;
}

/** The providers that one call uses, with time-outs and fallbacks already around them. */
export interface CallPipeline {
  readonly choices: {
    readonly stt: ProviderChoice;
    readonly llm: ProviderChoice;
    readonly tts: ProviderChoice;
  };
  readonly speechToText: SpeechToText;
  readonly languageModel: LanguageModel;
  readonly textToSpeech: TextToSpeech;
  /** What was used so far, by provider and model. */
  readonly usage: () => CallUsage;
  /** Absent when the agent is not recorded. */
  readonly recorder: CallRecorder | undefined;
}

/** A call's paced output to a carrier that returns marks. */
export interface CallOutput extends PacedOutput {
  /** A mark came back from the carrier. */
  markReturned(name: string): void;
}

/** What a worker gives to each of its calls. */
export interface CallEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  readonly detector: VoiceActivityDetector;
  /** Throws `ProviderError` when the plan names a provider that this worker does not have. */
  assemble(plan: CallPlan, notice: (code: string, message: string) => void): CallPipeline;
  openOutput(sink: MediaStreamSink, events: PacedOutputEvents): CallOutput;
  openDecisionLog(callId: string, options: TurnTakingOptions): DecisionLog;
  /** Numbers and spools an event. */
  emit(callId: string, body: CallEventBody): void;
  readonly httpTool: HttpTool;
  readonly integrationTool: IntegrationTool;
  readonly openMcpTools: OpenMcpTools;
  /** The call is over: its place is free, its artifacts can be finished. */
  onEnded(call: Call, artifacts: { recorder: CallRecorder | undefined; decisions: DecisionLog }): void;
}
