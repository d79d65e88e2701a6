import { repeatedArguments } from '@voice/shared/agent-tools/described-tools';
import type { LlmMessage, LlmTool } from '@voice/shared/language-model/conversation';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';

/** Converts the conversation to the chat-completions format. */
export function toChatMessages(messages: readonly LlmMessage[]): ChatCompletionMessageParam[] {
  return messages.map(toChatMessage);
}

function toChatMessage(message: LlmMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      if (!message.toolCalls || message.toolCalls.length === 0) {
        return { role: 'assistant', content: message.content };
      }
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: repeatedArguments(call.arguments) },
        })),
      };
    }
  }
}

/** Converts the tools to the chat-completions format; undefined when there are none, as an empty list is refused. */
export function toChatTools(tools: readonly LlmTool[]): ChatCompletionTool[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }));
}
