import type { LlmMessage } from '@voice/shared/language-model/conversation';
import type { HistoryEntry } from '../call/turn-taking/effects.js';
import type { ToolCall } from '../call/turn-taking/events.js';

/** What every model on the phone needs to know, whatever the tenant's prompt says. */
const PHONE_MANNERS =
  'You are speaking on the telephone. Everything you write is read aloud: use short, natural spoken ' +
  'sentences, no markup, no lists, no emoji; write numbers and dates as they are said.';

/** Returns the agent's prompt, with what every model on the phone needs to know. */
export function phoneInstructions(systemPrompt: string): string {
  return `${systemPrompt}\n\n${PHONE_MANNERS}`;
}

/**
 * Builds the model's context: the agent's prompt, then the conversation as it was heard. Tool calls without
 * a result (the turn was dropped) are left out, because models refuse them.
 */
export function buildMessages(
  systemPrompt: string,
  history: readonly HistoryEntry[],
  basis?: string,
): LlmMessage[] {
  const results = new Map<string, string>();
  for (const entry of history) if (entry.role === 'tool') results.set(entry.toolCallId, entry.text);

  const messages: LlmMessage[] = [{ role: 'system', content: phoneInstructions(systemPrompt) }];
  for (const entry of history) {
    switch (entry.role) {
      case 'user':
        // Spoken to a speech-to-speech model that never said what it was.
        if (entry.text !== '') messages.push({ role: 'user', content: entry.text });
        break;
      case 'note':
        messages.push({ role: 'system', content: entry.text });
        break;
      case 'assistant': {
        const toolCalls = entry.toolCalls.filter((call) => results.has(call.id));
        if (toolCalls.length === 0) {
          if (entry.text !== '') messages.push({ role: 'assistant', content: entry.text });
          break;
        }
        messages.push({
          role: 'assistant',
          content: entry.text,
          toolCalls: toolCalls.map((call) => ({
            id: serverIdOf(call),
            name: call.name,
            arguments: call.arguments,
          })),
        });
        for (const call of toolCalls) {
          messages.push({ role: 'tool', toolCallId: serverIdOf(call), content: results.get(call.id) ?? '' });
        }
        break;
      }
      case 'tool':
        // Placed right after the call that it answers.
        break;
    }
  }
  if (basis !== undefined) messages.push({ role: 'user', content: basis });
  return messages;
}

/** The server may be strict about the form of ids: it reads its own. */
function serverIdOf({ id, serverId }: ToolCall): string {
  return serverId ?? id;
}
