import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { silentLog } from '@voice/shared/log/log';
import { Call } from '../call/call.js';
import type { CallEnvironment, CallRecorder } from '../call/call-environment.js';
import { CallStatistics } from '../call/call-statistics.js';
import type { DecisionLog } from '../call/decision-log.js';
import { CallTap } from '../call/live/call-tap.js';
import { PreparedCall } from '../call/prepared-calls.js';
import type { TurnTakingEvent } from '../call/turn-taking/events.js';
import type { TurnTakingOptions } from '../call/turn-taking/port.js';
import type { RequestHandoff } from '../control-link/handoff.js';
import type { Conversation } from '../conversation/port.js';
import { Pacer } from '../streams/pacer.js';
import { ScriptedLine, ScriptedRecogniser } from './scripted-providers.js';

const FRAME = new Uint8Array(160).fill(0xff);

export const noMcpTools: OpenMcpTools = () => ({
  tools: [],
  ready: Promise.resolve(),
  begin: () => {},
  call: () => Promise.reject(new Error('there are none')),
  close: () => {},
});

export interface CallStageOptions {
  readonly plan: CallPlan;
  readonly createConversation: (
    stage: CallStage,
    options: Parameters<CallEnvironment['createConversation']>[1],
    /** With the agent that the conversation is for. */
    plan: CallPlan,
  ) => Conversation;
  /** Receives what the call emits, as it does. */
  readonly onEmit?: (body: CallEventBody) => void;
  readonly openMcpTools?: OpenMcpTools;
  readonly requestHandoff?: RequestHandoff;
  readonly recorder?: CallRecorder;
  readonly turnDeadlineMs?: number;
  /** Operators' notes from before the line was there. */
  readonly notes?: readonly string[];
  /** The phone rings, and the call is prepared, until the test answers it. */
  readonly rings?: boolean;
}

/** Runs a live call with a scripted line and caller; its conversation is the test's. */
export class CallStage {
  readonly clock = new ScriptedClock();
  readonly recogniser = new ScriptedRecogniser();
  readonly line = new ScriptedLine();
  readonly emitted: CallEventBody[] = [];
  /** Of the decision log: the options, and each event. */
  readonly decided: TurnTakingEvent[] = [];
  options: TurnTakingOptions | undefined;
  call!: Call;
  readonly tap = new CallTap();
  readonly statistics = new CallStatistics();
  readonly recorder: CallRecorder | undefined;
  over = false;
  readonly #answer: () => void;
  #timestampMs = 0;

  constructor({
    plan,
    createConversation,
    onEmit,
    openMcpTools = noMcpTools,
    requestHandoff = async () => ({ ok: false, reason: 'There is no such agent.' }),
    recorder,
    turnDeadlineMs,
    notes = [],
    rings = false,
  }: CallStageOptions) {
    this.recorder = recorder;
    const pacer = new Pacer(this.clock, (error) => {
      throw error;
    });
    const environment: CallEnvironment = {
      clock: this.clock,
      log: silentLog,
      createConversation: (prepared, options) => createConversation(this, options, prepared),
      openOutput: (line, events) => pacer.open(line, events),
      openRecorder: () => this.recorder,
      ...(turnDeadlineMs === undefined ? {} : { turnDeadlineMs: () => turnDeadlineMs }),
      openTap: () => this.tap,
      statistics: this.statistics,
      openDecisionLog: (_, options) => {
        this.options = options;
        const log = { record: (event: TurnTakingEvent) => this.decided.push(event), close: async () => {} };
        return log as unknown as DecisionLog;
      },
      emit: (_, body) => {
        this.emitted.push(body);
        onEmit?.(body);
      },
      httpTool: async () => 'shipped',
      integrationTool: async () => 'done',
      openMcpTools,
      requestHandoff,
      onEnded: () => {
        this.over = true;
      },
    };
    const prepared = new PreparedCall(plan, environment);
    for (const note of notes) prepared.keepNote(note);
    this.#answer = () => {
      this.call = new Call({ prepared, line: this.line, environment });
    };
    if (rings) prepared.prepare();
    else this.#answer();
  }

  /** Lets the phone ring for so long, then answers it. */
  async rings(ms: number): Promise<this> {
    await this.clock.advanceAsync(ms);
    this.#answer();
    return this;
  }

  /** Lets time pass, with the line's frames coming as they do. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 20) await this.callerSends(FRAME);
  }

  /** Lets the caller's line play frames of 20 ms, in their time; the detector reports them as speech. */
  async callerPlays(frames: Iterable<Uint8Array>): Promise<void> {
    this.recogniser.speechStarted();
    for (const frame of frames) await this.callerSends(frame);
    this.recogniser.speechStopped();
  }

  /** Lets the caller speak for a while: the detector reports it. */
  async callerSpeaks(ms = 800): Promise<void> {
    this.recogniser.speechStarted();
    await this.pass(ms);
    this.recogniser.speechStopped();
  }

  /** Lets the caller say something for a while; the recogniser's final comes 100 ms after the end. */
  async callerSays(text: string, ms = 800): Promise<void> {
    await this.callerSpeaks(ms);
    await this.pass(100);
    this.recogniser.transcribes(text);
  }

  /** Lets the line bring one frame of 20 ms, in its time. */
  async callerSends(frame: Uint8Array): Promise<void> {
    this.lineBrings(frame);
    await this.clock.advanceAsync(20);
  }

  /** Lets the line bring one frame of 20 ms right behind the one before, as one does that was held up. */
  lineBrings(frame: Uint8Array): void {
    this.line.listener?.onAudio(frame, this.#timestampMs, false);
    this.#timestampMs += 20;
  }

  turns(): string[] {
    return this.emitted.flatMap((body) =>
      body.kind === 'turn'
        ? [`${body.turn.role}: ${body.turn.heard_text}${body.turn.interrupted ? ' —' : ''}`]
        : [],
    );
  }

  /** Returns the transcript as it stands: the last event for each index. */
  transcript(): string[] {
    const turns = new Map<number, string>();
    for (const body of this.of('turn')) {
      turns.set(body.turn.index, `${body.turn.role}: ${body.turn.heard_text}`);
    }
    return [...turns].sort(([a], [b]) => a - b).map(([, text]) => text);
  }

  of<K extends CallEventBody['kind']>(kind: K): Extract<CallEventBody, { kind: K }>[] {
    return this.emitted.filter((body): body is Extract<CallEventBody, { kind: K }> => body.kind === kind);
  }
}
