import type { HistoryEntry } from '../../call/turn-taking/effects.js';
import type { RealtimeSession } from '../../providers/realtime/port.js';

/**
 * Tracks what the present session knows of the history. What was said aloud it has heard or said itself; an operator's
 * notes and the tools' results it must be given.
 */
export class SessionMemory {
  #known = new WeakSet<HistoryEntry>();

  /** Gives the session what it does not know yet. */
  bringUpToDate(session: RealtimeSession, history: readonly HistoryEntry[]): void {
    for (const entry of history) {
      if (this.#known.has(entry)) continue;
      this.#known.add(entry);
      if (entry.role === 'note') session.addNote(entry.text);
      else if (entry.role === 'tool') {
        const callId = entry.serverId ?? entry.toolCallId;
        session.addItem({ role: 'tool_result', callId, text: entry.text });
      }
    }
  }

  /** Begins with a session that was opened with all of the history. */
  begin(history: readonly HistoryEntry[]): void {
    this.#known = new WeakSet(history);
  }
}
