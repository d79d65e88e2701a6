import type { UsageWaste } from '@voice/shared/contracts/call-events';
import { tokenCount } from '@voice/shared/contracts/token-count';
import type { LlmEvent, LlmRequest } from '../llm/port.js';
import { turnOf } from '../turn-signal.js';
import { TurnCut } from './turn-cut.js';

/** A usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** What of a request was of no use, and why. */
export interface WastedTokens extends Tokens {
  readonly reason: UsageWaste['reason'];
}

const NO_TOKENS: Tokens = { input: 0, output: 0 };

/** What one request to a language model used, and what of that was of no use. */
export class ModelRequest {
  /** Kept only until the provider has said what it counted, and until it ends: it holds the whole conversation. */
  #request: LlmRequest | undefined;
  /** Of one that has ended. */
  #lastEstimate: Tokens | undefined;
  #onWaste: ((waste: WastedTokens) => void) | undefined;
  #outputCharacters = 0;
  #counted: Tokens | undefined;
  #waste:
    | { readonly reason: UsageWaste['reason']; readonly inputShare: number; readonly outputShare: number }
    | undefined;

  /** @param signal of this try: its abort while the turn goes on means that another answers */
  constructor(request: LlmRequest, signal: AbortSignal) {
    this.#request = request;
    const turn = turnOf(signal);
    turn.addEventListener('abort', () => this.#onTurnCut(turn.reason), { once: true });
    if (turn === signal) return;
    const onAbort = () => {
      const { input, output } = this.estimated;
      if (!turn.aborted && input + output > 0) this.#wasted('lost_race', 1, 1);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  }

  saw(event: LlmEvent): void {
    switch (event.type) {
      case 'text':
        this.#outputCharacters += event.delta.length;
        break;
      case 'tool_call':
        this.#outputCharacters += event.call.name.length + event.call.arguments.length;
        break;
      case 'tool_call_part':
        break;
      case 'usage':
        this.#counted = { input: tokenCount(event.inputTokens), output: tokenCount(event.outputTokens) };
        this.#request = undefined;
        break;
    }
  }

  /** Ends a request that was answered to its end: what the provider did not count is not guessed. */
  answered(): void {
    this.#request = undefined;
  }

  /** Ends a request that failed: before it said anything, it was refused, and nobody charges for it. */
  failed(): void {
    if (this.#outputCharacters === 0) this.#request = undefined;
  }

  /**
   * Ends a request however it went: its tokens stand.
   * @param onWaste is given what was of no use, where that is known now and where it turns out later
   */
  end(onWaste: (waste: WastedTokens) => void): void {
    this.#lastEstimate = this.estimated;
    this.#request = undefined;
    this.#onWaste = onWaste;
    if (this.wasted) onWaste(this.wasted);
  }

  get tokens(): Tokens {
    return this.#counted ?? this.estimated;
  }

  /** Returns what is only estimated, by the text that went out and came in: the answer was broken off. */
  get estimated(): Tokens {
    if (this.#lastEstimate) return this.#lastEstimate;
    if (this.#counted || !this.#request) return NO_TOKENS;
    return {
      input: Math.ceil(charactersOf(this.#request) / CHARACTERS_PER_TOKEN),
      output: Math.ceil(this.#outputCharacters / CHARACTERS_PER_TOKEN),
    };
  }

  /** Returns what of the tokens was of no use; undefined: none. */
  get wasted(): WastedTokens | undefined {
    if (!this.#waste) return undefined;
    const { reason, inputShare, outputShare } = this.#waste;
    const { input, output } = this.tokens;
    return { reason, input: Math.round(input * inputShare), output: Math.round(output * outputShare) };
  }

  #onTurnCut(cut: unknown): void {
    if (!(cut instanceof TurnCut) || this.#waste) return;
    const { reason, heard, unheardShare } = cut;
    this.#wasted(reason, heard === 0 ? 1 : 0, unheardShare);
  }

  #wasted(reason: UsageWaste['reason'], inputShare: number, outputShare: number): void {
    this.#waste = { reason, inputShare, outputShare };
    this.#onWaste?.(this.wasted!);
  }
}

function charactersOf({ messages, tools }: LlmRequest): number {
  const said = messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return sum + message.content.length + calls.reduce((all, call) => all + call.arguments.length, 0);
  }, 0);
  return said + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
}
