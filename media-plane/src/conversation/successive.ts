import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { AnswerRequest, Conversation, ConversationListener, TurnListener } from './port.js';
import { type AgentUsage, successiveUsage } from './successive-usage.js';

/** How long the words of what was said to a speech-to-speech model are waited for when it has left, in ms. */
const TRANSCRIPTION_MS = 5000;

/**
 * Runs the conversations of one call, one after the other: each agent that takes over brings its own, on the same line.
 * The one that leaves is silent from then on, but for the words that it learns afterwards.
 */
export class SuccessiveConversations implements Conversation {
  readonly #clock: Clock;
  readonly #first: Conversation;
  readonly #later: { readonly agentId: string; readonly conversation: Conversation }[] = [];
  readonly #leaving = new Set<Timer>();
  #current: Conversation;
  #listening: { readonly listener: ConversationListener; readonly format: AudioFormat } | undefined;

  constructor(first: Conversation, clock: Clock) {
    this.#first = first;
    this.#current = first;
    this.#clock = clock;
  }

  get kind() {
    return this.#current.kind;
  }

  get hearsWords() {
    return this.#current.hearsWords;
  }

  get lastFinalAt() {
    return this.#current.lastFinalAt;
  }

  prepare(format: AudioFormat): void {
    this.#current.prepare(format);
  }

  listen(listener: ConversationListener, format: AudioFormat): void {
    this.#listening = { listener, format };
    this.#current.listen(this.#listenerOf(this.#current), format);
  }

  /** Lets the next agent's conversation listen and speak from here on. */
  takeOver(agentId: string, next: Conversation): void {
    const before = this.#current;
    this.#current = next;
    this.#later.push({ agentId, conversation: next });
    if (this.#listening) next.listen(this.#listenerOf(next), this.#listening.format);
    if (before.hearsWords) {
      before.close();
      return;
    }
    const timer = this.#clock.schedule(TRANSCRIPTION_MS, () => {
      this.#leaving.delete(timer);
      before.close();
    });
    this.#leaving.add(timer);
  }

  hear(frame: Uint8Array, spokenAtMs: number): void {
    this.#current.hear(frame, spokenAtMs);
  }

  generate(request: AnswerRequest, listener: TurnListener, signal: AbortSignal): Promise<void> {
    return this.#current.generate(request, listener, signal);
  }

  say(turn: number, text: string, listener: TurnListener, signal: AbortSignal): Promise<void> {
    return this.#current.say(turn, text, listener, signal);
  }

  truncate(turn: number, heardMs: number): void {
    this.#current.truncate(turn, heardMs);
  }

  usage(): CallUsage {
    const later = this.#later.map(
      ({ agentId, conversation }): AgentUsage => ({ agentId, usage: conversation.usage() }),
    );
    return successiveUsage(this.#first.usage(), later);
  }

  close(): void {
    for (const timer of this.#leaving) timer.cancel();
    this.#leaving.clear();
    this.#first.close();
    for (const { conversation } of this.#later) conversation.close();
  }

  #listenerOf(conversation: Conversation): ConversationListener {
    const { listener } = this.#listening!;
    const isCurrent = () => this.#current === conversation;
    return {
      ...listener,
      onHeard: (event) => {
        if (isCurrent() || event.type === 'transcribed') listener.onHeard(event);
      },
      onInterim: (text) => {
        if (isCurrent()) listener.onInterim?.(text);
      },
      onFailed: (error) => {
        if (isCurrent()) listener.onFailed(error);
      },
      onReplaced: (hearsWords, hearsAgain) => {
        if (isCurrent()) listener.onReplaced?.(hearsWords, hearsAgain);
      },
    };
  }
}
