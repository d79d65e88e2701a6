import { repeatedArguments } from '@voice/shared/agent-tools/described-tools';
import { CUT_OFF_ARGUMENTS, type LlmMessage, type LlmTool } from '@voice/shared/language-model/conversation';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { ConversationEvent, ConversationRequest } from '../conversation.js';
import { languageModelFailure } from '../failures.js';
import type { ConnectedModel } from './client.js';

/** Streams an answer of a chat-completions model; on abort it ends promptly with the signal's reason. */
export async function* converseByOpenAi(
  { client, model, settings }: ConnectedModel,
  { messages, tools }: ConversationRequest,
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent> {
  try {
    const stream = client.chat.completions.stream(
      {
        ...settings,
        model,
        messages: messages.map(chatMessage),
        ...(tools.length === 0 ? {} : { tools: tools.map(chatTool) }),
        stream_options: { include_usage: true },
      },
      { signal },
    );
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta.content;
      if (delta) yield { type: 'text', delta };
    }
    signal.throwIfAborted();
    const whole = await stream.finalChatCompletion();
    const { finish_reason: end, message } = whole.choices[0] ?? {};
    const calls = message?.tool_calls ?? [];
    // An answer that the limit ended has ended within its last call.
    const isCutOff = end === 'length' || end === 'content_filter';
    for (const call of calls) {
      if (call.type !== 'function') continue;
      const none = isCutOff && call === calls.at(-1) ? CUT_OFF_ARGUMENTS : '{}';
      const { name, arguments: args } = call.function;
      yield { type: 'tool_call', call: { id: call.id, name, arguments: args === '' ? none : args } };
    }
    if (whole.usage) {
      yield {
        type: 'usage',
        inputTokens: whole.usage.prompt_tokens,
        outputTokens: whole.usage.completion_tokens,
      };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw languageModelFailure(error);
  }
}

function chatMessage(message: LlmMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      if (!message.toolCalls || message.toolCalls.length === 0) {
        return { role: 'assistant', content: message.content };
      }
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: repeatedArguments(args) },
        })),
      };
    }
  }
}

function chatTool({ name, description, parameters }: LlmTool): ChatCompletionTool {
  return {
    type: 'function',
    function: { name, ...(description === '' ? {} : { description }), parameters: { ...parameters } },
  };
}
