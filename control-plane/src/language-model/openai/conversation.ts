import { repeatedArguments } from '@voice/shared/agent-tools/described-tools';
import type { LlmMessage, LlmTool } from '@voice/shared/language-model/conversation';
import { ToolCallAssembly } from '@voice/shared/openai/tool-call-assembly';
import type {
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
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
    const stream = await client.chat.completions.create(
      {
        ...settings,
        model,
        messages: messages.map(chatMessage),
        ...(tools.length === 0 ? {} : { tools: tools.map(chatTool) }),
        stream: true,
        stream_options: { include_usage: true },
      },
      { signal },
    );
    // The SDK would merge calls of one index.
    const assembly = new ToolCallAssembly();
    let end: ChatCompletionChunk.Choice['finish_reason'] = null;
    let used: ChatCompletionChunk['usage'];
    for await (const { choices, usage } of stream) {
      const choice = choices[0];
      if (choice?.delta?.content) yield { type: 'text', delta: choice.delta.content };
      for (const fragment of choice?.delta?.tool_calls ?? []) assembly.add(fragment);
      end = choice?.finish_reason ?? end;
      used = usage ?? used;
    }
    signal.throwIfAborted();
    if (end === null) throw new Error('the stream has ended without a reason');
    // An answer that the limit ended has ended within its last call.
    const isCutOff = end === 'length' || end === 'content_filter';
    for (const call of assembly.take({ isCutOff })) yield { type: 'tool_call', call };
    if (used) {
      yield { type: 'usage', inputTokens: used.prompt_tokens, outputTokens: used.completion_tokens };
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
