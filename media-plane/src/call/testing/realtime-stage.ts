import type { AgentTool } from '@voice/shared/contracts/agent';
import { silentLog } from '@voice/shared/log/log';
import { RealtimeConversation } from '../../conversation/realtime/realtime.js';
import { ConversationWithFallback } from '../../conversation/with-fallback.js';
import { CircuitBreaker } from '../../providers/resilience/circuit-breakers.js';
import { DEFAULT_ANSWER_LIMITS } from '../../providers/resilience/limits.js';
import { testCallPlan } from '../../testing/call-plan.js';
import { CallStage } from '../../testing/call-stage.js';
import {
  ScriptedLanguageModel,
  scriptedConversation,
  scriptedVoice,
} from '../../testing/scripted-providers.js';
import { type ScriptedAnswer, ScriptedRealtime } from '../../testing/scripted-realtime.js';

export interface RealtimeScene {
  readonly answers?: readonly ScriptedAnswer[];
  readonly disclosure?: string;
  readonly firstMessage?: string;
  readonly tools?: readonly AgentTool[];
  readonly turnDetection?: 'service' | 'provider';
  /** What the cascade answers that takes over; without it there is none. */
  readonly fallback?: readonly string[];
  /** Of the provider, shared with other calls; by default the call has its own. */
  readonly breaker?: CircuitBreaker;
}

export const realtimeChoice = { provider: 'scripted', model: '', params: {} };

/** Sets up a live speech-to-speech call with a scripted provider and line; the rest is real. */
export function realtimeStage({
  answers = [],
  disclosure,
  firstMessage = '',
  tools,
  turnDetection,
  fallback,
  breaker,
}: RealtimeScene) {
  const provider = new ScriptedRealtime(answers);
  const plan = testCallPlan(
    { disclosure: disclosure ?? null },
    {
      pipeline_type: 'realtime',
      voice_config: { realtime: realtimeChoice },
      first_message: firstMessage,
      ...(tools ? { tools: [...tools] } : {}),
    },
  );
  if (turnDetection) plan.agent.turn_taking.turn_detection = turnDetection;
  const model = new ScriptedLanguageModel(fallback ?? []);
  const stage = new CallStage({
    plan,
    createConversation: ({ clock, recogniser }, { tools: offered, notice }) => {
      const detector = recogniser.detector;
      const options = {
        plan,
        choice: realtimeChoice,
        provider,
        detector,
        tools: offered,
        clock,
        log: silentLog,
        notice,
        ...(fallback ? { firstOutputMs: DEFAULT_ANSWER_LIMITS.firstTokenMs } : {}),
      };
      const primary = new RealtimeConversation(options);
      if (!fallback) return primary;
      const cascade = () => scriptedConversation(plan, clock, { recogniser, model, voice: scriptedVoice() });
      return new ConversationWithFallback({
        primary,
        fallback: cascade,
        breaker: breaker ?? new CircuitBreaker(clock),
        notice,
      });
    },
  });
  return { stage, provider, model };
}
