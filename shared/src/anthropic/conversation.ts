import { createHash } from 'node:crypto';
import type { LlmMessage } from '../language-model/conversation.js';

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool_result'; readonly tool_use_id: string; readonly content: string };

export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** What stands for a caller who has not said anything where the API wants a user's turn. */
const SILENCE = '(silence)';

/**
 * Converts a conversation to the Messages API's. The prompt is apart; instructions that come later are text of the
 * user's turn, marked as such. Turns alternate and begin and end with the user; results stand first in the turn after
 * their calls, as the API wants them. Pure.
 */
export function toConversation(messages: readonly LlmMessage[]): {
  readonly system: string;
  readonly turns: readonly AnthropicMessage[];
} {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const head = first < 0 ? messages : messages.slice(0, first);
  const turns: { role: AnthropicMessage['role']; content: ContentBlock[] }[] = [];
  for (const message of first < 0 ? [] : messages.slice(first)) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [silence()] });
  if (turns.at(-1)!.role !== 'user') turns.push({ role: 'user', content: [silence()] });
  return {
    system: head.map(({ content }) => content).join('\n\n'),
    turns: turns.map(({ role, content }) => ({ role, content: resultsFirst(content) })),
  };
}

const silence = (): ContentBlock => ({ type: 'text', text: SILENCE });

function blocksOf(message: LlmMessage): ContentBlock[] {
  switch (message.role) {
    case 'system':
      return [{ type: 'text', text: `<system>${message.content}</system>` }];
    case 'user':
      return text(message.content);
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: callId(message.toolCallId), content: message.content }];
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: args }): ContentBlock => {
        return { type: 'tool_use', id: callId(id), name, input: objectOf(args) };
      });
      return [...text(message.content), ...calls];
    }
  }
}

/** Rewrites the id of another model's call that the API refuses, the same way each time. */
function callId(id: string): string {
  return /^[a-zA-Z0-9_-]+$/.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex')}`;
}

/** Empty text is refused. */
function text(content: string): ContentBlock[] {
  return content.trim() === '' ? [] : [{ type: 'text', text: content }];
}

/** The API takes objects; a call that is none was refused when it was made. */
function objectOf(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function resultsFirst(content: readonly ContentBlock[]): ContentBlock[] {
  return [
    ...content.filter(({ type }) => type === 'tool_result'),
    ...content.filter(({ type }) => type !== 'tool_result'),
  ];
}
