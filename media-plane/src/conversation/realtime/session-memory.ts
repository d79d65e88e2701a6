import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { HistoryEntry } from '../../call/turn-taking/effects.js';
import type { RealtimeSession } from '../../providers/realtime/port.js';
import { historyItems } from './history-items.js';
import { isSameOffer } from './tool-offer.js';

/** What a session that took over in mid-call may have missed. */
interface Gap {
  /** Position in the history of the caller's first turn that the session heard itself. */
  readonly heardFrom: number;
  /** What the session said itself, word for word, since it took over. */
  readonly said: string[];
}

/**
 * Tracks what one session knows of the call: its tools and its history. What was said aloud it has heard or said itself;
 * an operator's notes and the tools' results it must be given. A session that took over must also be given what only the
 * one before it knew: answers are in the history when they were heard, tool calls when they have a result, the caller's
 * words when they were transcribed, all of which may be after the take-over.
 */
export class SessionMemory {
  readonly #session: RealtimeSession;
  readonly #known: WeakSet<HistoryEntry>;
  #tools: readonly LlmTool[];
  #gap: Gap | undefined;

  /**
   * @param history what the session was opened with
   * @param tools what the session was opened with
   */
  constructor(session: RealtimeSession, history: readonly HistoryEntry[], tools: readonly LlmTool[]) {
    this.#session = session;
    this.#known = new WeakSet(history);
    this.#tools = tools;
  }

  /** Gives the session the tools, if they are not what it has. */
  offer(tools: readonly LlmTool[]): void {
    if (isSameOffer(tools, this.#tools)) return;
    this.#tools = tools;
    this.#session.setTools(tools);
  }

  /**
   * Notes that the session takes over.
   * @param isHeardAgain the caller's last turn in the history is about to be heard by it
   */
  takeOver(history: readonly HistoryEntry[], isHeardAgain: boolean): void {
    const lastTurn = history.findLastIndex(({ role }) => role === 'user');
    const heardFrom = isHeardAgain && lastTurn >= 0 ? lastTurn : history.length;
    this.#gap = { heardFrom, said: [] };
    this.catchUp(history);
  }

  /** Notes that the session is asked to say a text: in the history it will be nothing new to it. */
  says(text: string): void {
    this.#gap?.said.push(text);
  }

  /** Gives a session that took over what it has missed so far. */
  catchUp(history: readonly HistoryEntry[]): void {
    const gap = this.#gap;
    if (!gap) return;
    const missed = history.filter((entry, index) => !this.#known.has(entry) && isMissed(entry, index, gap));
    for (const entry of history) this.#known.add(entry);
    for (const item of historyItems(missed)) this.#session.addItem(item);
  }

  /** Gives the session what it does not know, before its own answer: from then on it has heard and said everything. */
  bringUpToDate(history: readonly HistoryEntry[]): void {
    this.catchUp(history);
    this.#gap = undefined;
    for (const entry of history) {
      if (this.#known.has(entry)) continue;
      this.#known.add(entry);
      if (entry.role === 'note') this.#session.addNote(entry.text);
      else if (entry.role === 'tool') {
        const callId = entry.serverId ?? entry.toolCallId;
        this.#session.addItem({ role: 'tool_result', callId, text: entry.text });
      }
    }
  }
}

function isMissed(entry: HistoryEntry, index: number, { heardFrom, said }: Gap): boolean {
  if (entry.role === 'user') return index < heardFrom;
  if (entry.role !== 'assistant' || entry.toolCalls.length > 0) return true;
  // What was interrupted is in the history as far as it was heard.
  return !said.some((text) => text.startsWith(entry.text));
}
