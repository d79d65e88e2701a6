import { answer } from '@voice/shared/rule-based-model/answer';
import type { ConversationEvent, ConversationRequest } from '../conversation.js';

const CHARACTERS_PER_TOKEN = 4;
const tokens = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Gives the rule-based model's answer as events: word by word, then its tool calls. */
export async function* converseByRules(
  { messages, tools }: ConversationRequest,
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent> {
  const { text, calls } = answer(messages, tools);
  for (const delta of text.match(/\S+\s*/g) ?? []) {
    signal.throwIfAborted();
    yield { type: 'text', delta };
  }
  for (const [index, call] of calls.entries()) {
    const id = `call_local_${messages.length}_${index}`;
    yield { type: 'tool_call', call: { id, name: call.name, arguments: JSON.stringify(call.arguments) } };
  }
  yield {
    type: 'usage',
    inputTokens: tokens(messages.map((message) => message.content).join('\n') + JSON.stringify(tools)),
    outputTokens: tokens(text + JSON.stringify(calls)),
  };
}
