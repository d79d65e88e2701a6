import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { type AgentTool, type TurnTakingSettings, turnTakingSettings } from '@voice/shared/contracts/agent';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { EndOfTurnDetector } from '../../providers/end-of-turn/port.js';
import type { LlmEvent } from '../../providers/llm/port.js';
import { testCallPlan } from '../../testing/call-plan.js';
import { CallStage } from '../../testing/call-stage.js';
import {
  ScriptedLanguageModel,
  scriptedConversation,
  scriptedVoice,
} from '../../testing/scripted-providers.js';

export interface CascadedScene {
  readonly answers?: readonly (readonly LlmEvent[] | Error | string)[];
  readonly disclosure?: string;
  readonly firstMessage?: string;
  readonly openMcpTools?: OpenMcpTools;
  readonly tools?: readonly AgentTool[];
  readonly notes?: readonly string[];
  /** Other parts of the agent. */
  readonly agent?: Partial<CallPlan['agent']>;
  readonly turnTaking?: Partial<TurnTakingSettings>;
  readonly endOfTurn?: EndOfTurnDetector;
}

/** Runs a live call with a scripted caller, model and voice; the rest is real. */
export class CascadedStage extends CallStage {
  readonly model: ScriptedLanguageModel;
  /** What the voice was given, in order. */
  readonly spoken: readonly string[];

  constructor(scene: CascadedScene) {
    const { answers = [], disclosure, firstMessage = '', openMcpTools, tools, notes } = scene;
    const { turnTaking, endOfTurn, agent } = scene;
    const model = new ScriptedLanguageModel(answers);
    const voice = scriptedVoice();
    const plan = testCallPlan(
      { disclosure: disclosure ?? null },
      {
        first_message: firstMessage,
        turn_taking: turnTakingSettings.parse({ ...turnTaking }),
        ...(tools ? { tools: [...tools] } : {}),
        ...agent,
      },
    );
    super({
      plan,
      openMcpTools,
      ...(notes ? { notes } : {}),
      createConversation: ({ clock, recogniser }) =>
        scriptedConversation(plan, clock, { recogniser, model, voice, endOfTurn }),
    });
    this.model = model;
    this.spoken = voice.spoken;
  }

  /** What the line was sent, in order. */
  get carrier(): readonly string[] {
    return this.line.sent;
  }

  /** All the audio that the line was sent. */
  audio(): Uint8Array {
    return Buffer.concat(this.line.frames);
  }
}
