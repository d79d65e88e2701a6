import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { answer } from '@voice/shared/rule-based-model/answer';
import type { LanguageModel, LlmEvent, LlmRequest } from '../port.js';

/** Between two words, in ms: about the pace of a fast hosted model. */
const DEFAULT_TOKEN_DELAY_MS = 8;
/** A usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

export interface LocalLanguageModelOptions {
  /** Wait before each word, in ms. */
  readonly tokenDelayMs?: number;
  readonly clock?: Clock;
}

/**
 * Creates the language model that needs no key: rules that follow the agent's prompt well enough for a demonstration
 * (`answer.ts`). It streams as a model does.
 */
export function createLocalLanguageModel(options: LocalLanguageModelOptions = {}): LanguageModel {
  const tokenDelayMs = options.tokenDelayMs ?? DEFAULT_TOKEN_DELAY_MS;
  const clock = options.clock ?? systemClock;
  return {
    name: 'local',
    async *generate(request, signal): AsyncIterable<LlmEvent> {
      signal.throwIfAborted();
      const { text, calls } = answer(request.messages, request.tools, clock.now());
      for (const delta of text.match(/\S+\s*/g) ?? []) {
        await clock.sleep(tokenDelayMs, signal);
        yield { type: 'text', delta };
      }
      for (const [index, call] of calls.entries()) {
        yield {
          type: 'tool_call',
          call: {
            id: `call_local_${request.messages.length}_${index}`,
            name: call.name,
            arguments: JSON.stringify(call.arguments),
          },
        };
      }
      yield {
        type: 'usage',
        inputTokens: inputTokens(request),
        outputTokens: tokens(text + JSON.stringify(calls)),
      };
    },
  };
}

function inputTokens({ messages, tools }: LlmRequest): number {
  return tokens(messages.map((message) => message.content).join('\n') + JSON.stringify(tools));
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
