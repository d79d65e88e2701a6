import type { AudioFormat } from '@voice/shared/audio/format';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import { ProviderError } from '../providers/provider-error.js';
import type { BreakerOutcome } from '../providers/resilience/circuit-breaker.js';
import { type Breaker, isProvidersFault } from '../providers/resilience/circuit-breakers.js';
import type { AnswerRequest, Conversation, ConversationListener, SpokenFrame, TurnListener } from './port.js';

/** A conversation whose unanswered audio another can take over. */
interface ReplaceableConversation extends Conversation {
  /** Returns audio of the caller whose words are not known and that no answer has come to, in frames of 20 ms. */
  unanswered(): readonly SpokenFrame[];
}

export interface ConversationWithFallbackOptions {
  readonly primary: ReplaceableConversation;
  /** Made when it is needed. */
  readonly fallback: () => Conversation;
  /** Of the primary's provider, shared by the worker's calls. */
  readonly breaker: Breaker;
  readonly notice: (code: string, message: string) => void;
}

/**
 * Runs a speech-to-speech conversation and replaces it by the agent's cascaded voice when the provider is gone, or fails
 * a turn that a caller waits for: connected and mute is no better than gone.
 */
export class ConversationWithFallback implements Conversation {
  readonly #options: ConversationWithFallbackOptions;
  #current: Conversation;
  /** Takes whether the primary works: the request that the conversation began with; undefined once it is known. */
  #report: ((outcome: BreakerOutcome) => void) | undefined;
  #listening: { readonly listener: ConversationListener; readonly format: AudioFormat } | undefined;

  constructor(options: ConversationWithFallbackOptions) {
    this.#options = options;
    const { primary, fallback, breaker, notice } = options;
    const isAdmitted = breaker.admits();
    this.#current = isAdmitted ? primary : fallback();
    if (isAdmitted) this.#report = breaker.begin();
    else
      notice(
        'realtime_replaced',
        "The speech-to-speech provider fails the worker's calls; the agent's cascaded voice speaks.",
      );
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
    const { primary } = this.#options;
    if (this.#current !== primary) {
      this.#current.listen(listener, format);
      return;
    }
    primary.listen({ ...listener, onFailed: (error) => this.#replace(error) }, format);
  }

  hear(frame: Uint8Array, spokenAtMs: number): void {
    this.#current.hear(frame, spokenAtMs);
  }

  generate(request: AnswerRequest, listener: TurnListener, signal: AbortSignal): Promise<void> {
    const ask = (current: Conversation, heard: TurnListener) => {
      // The primary may have learnt the caller's words since.
      const history = current === this.#options.primary ? request.history : this.#history(request);
      return current.generate({ ...request, history }, heard, signal);
    };
    return this.#attempt(ask, listener, signal);
  }

  say(turn: number, text: string, listener: TurnListener, signal: AbortSignal): Promise<void> {
    return this.#attempt((current, heard) => current.say(turn, text, heard, signal), listener, signal);
  }

  truncate(turn: number, heardMs: number): void {
    this.#current.truncate(turn, heardMs);
  }

  usage(): CallUsage {
    const { primary } = this.#options;
    const used = primary.usage();
    if (this.#current === primary) return used;
    const after = this.#current.usage();
    const segments = (after.segments ?? []).map((segment) => ({ ...segment, fallback: true }));
    const wasted = after.wasted?.map((waste) => ({ ...waste, fallback: true }));
    return {
      ...after,
      realtime: used.realtime,
      segments: [...(used.segments ?? []), ...segments],
      ...(wasted ? { wasted } : {}),
    };
  }

  close(): void {
    this.#options.primary.close();
    this.#current.close();
  }

  #history(request: AnswerRequest) {
    return this.#listening?.listener.history() ?? request.history;
  }

  /**
   * Repeats at the fallback what was requested of the primary and had made no sound when it failed. What fails later
   * fails the turn; the next one is the fallback's.
   */
  async #attempt(
    ask: (conversation: Conversation, listener: TurnListener) => Promise<void>,
    listener: TurnListener,
    signal: AbortSignal,
  ): Promise<void> {
    const asked = this.#current;
    let begun = false;
    try {
      await ask(asked, {
        ...listener,
        onFirstToken: () => {
          begun = true;
          if (asked === this.#options.primary) this.#reportOk();
          listener.onFirstToken();
        },
      });
    } catch (error) {
      if (signal.aborted) throw error;
      if (asked === this.#options.primary && error instanceof ProviderError && !goesOn(error, begun))
        this.#replace(error);
      // What has taken over may hear the caller's words again first, and answer those.
      if (begun || signal.aborted || asked === this.#current) throw error;
      await ask(this.#current, listener);
    }
  }

  #reportOk(): void {
    this.#report?.('ok');
    this.#report = undefined;
  }

  #replace(error: ProviderError): void {
    const { primary, fallback, breaker, notice } = this.#options;
    const listening = this.#listening;
    if (!listening || this.#current !== primary) return;
    notice(
      'realtime_replaced',
      `The speech-to-speech provider ${error.provider} has failed (${error.code}); the agent's cascaded voice goes on.`,
    );
    // In mid-call it is another result than that of its beginning.
    if (isProvidersFault(error)) (this.#report ?? breaker.begin())('failed');
    this.#report = undefined;
    const { listener, format } = listening;
    const missed = primary.unanswered();
    this.#current = fallback();
    this.#current.listen(listener, format);
    listener.onReplaced?.(this.#current.hearsWords, missed.length > 0);
    for (const { frame, spokenAtMs } of missed) this.#current.hear(frame, spokenAtMs);
    primary.close();
  }
}

/** Returns whether the primary recovers by itself: a connection that broke off in mid-answer is another one already. */
function goesOn({ code }: ProviderError, begun: boolean): boolean {
  return begun && code === 'realtime_disconnected';
}
