import type { HistoryEntry } from '../../call/turn-taking/effects.js';
import type { RealtimeHistoryItem } from '../../providers/realtime/port.js';

/**
 * Builds the history for a session that did not hear it. Tool calls without a result are left out, because models
 * refuse them; a turn of the caller whose words are not known is left out, too.
 */
export function historyItems(history: readonly HistoryEntry[]): RealtimeHistoryItem[] {
  const answered = new Set(history.flatMap((entry) => (entry.role === 'tool' ? [entry.toolCallId] : [])));
  return history.flatMap((entry) => itemsOf(entry, answered));
}

function itemsOf(entry: HistoryEntry, answered: ReadonlySet<string>): RealtimeHistoryItem[] {
  switch (entry.role) {
    case 'user':
      return entry.text === '' ? [] : [{ role: 'user', text: entry.text }];
    case 'note':
      return [{ role: 'system', text: entry.text }];
    case 'assistant': {
      const calls = entry.toolCalls.filter(({ id }) => answered.has(id));
      return [
        ...(entry.text === '' ? [] : [{ role: 'assistant', text: entry.text } as const]),
        ...calls.map(({ id, name, arguments: args }) => ({
          role: 'tool_call' as const,
          call: { id, name, arguments: args },
        })),
      ];
    }
    case 'tool':
      return [{ role: 'tool_result', callId: entry.toolCallId, text: entry.text }];
  }
}
