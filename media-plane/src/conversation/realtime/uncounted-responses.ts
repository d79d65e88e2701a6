import {
  NO_REALTIME_USAGE,
  type RealtimeEvent,
  type RealtimeHistoryItem,
  type RealtimeUsage,
} from '../../providers/realtime/port.js';

/** A usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;
/** Of speech that is heard: OpenAI counts a token for 100 ms, Gemini more. */
const HEARD_TOKENS_PER_MS = 1 / 100;
/** Of speech that is made: some 15 characters a second, for which OpenAI counts 20 tokens. */
const SPOKEN_TOKENS_PER_CHARACTER = 20 / 15;

interface UncountedResponse {
  spoken: number;
  /** Characters of its tool calls. */
  written: number;
  /** Something of it came. */
  hasBegun: boolean;
  outcome: Extract<RealtimeEvent, { type: 'response_finished' }>['outcome'] | undefined;
}

/**
 * Keeps the responses of one session whose usage the provider has not reported, and estimates them: when the session
 * ends, nobody reports it any more, and it is billed all the same. Providers do not say which response a usage is of;
 * it comes shortly before the response's end, or after it.
 */
export class UncountedResponses {
  readonly #responses = new Map<number, UncountedResponse>();
  /** Of the last response that was counted, or what the session began with. */
  #input: RealtimeUsage;
  /** The caller's audio that this input includes, in ms. */
  #inputAudioMs = 0;
  #isReady = false;

  /**
   * @param history that the session was given
   * @param setUpCharacters of its prompt and tools
   */
  constructor(history: readonly RealtimeHistoryItem[], setUpCharacters: number) {
    const characters = history.reduce((sum, item) => sum + charactersOf(item), setUpCharacters);
    this.#input = { ...NO_REALTIME_USAGE, inputTextTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN) };
  }

  requested(number: number): void {
    // What was answered to its end and is not counted by now is not guessed.
    for (const [before, { outcome }] of this.#responses) {
      if (outcome === 'completed') this.#responses.delete(before);
    }
    this.#responses.set(number, { spoken: 0, written: 0, hasBegun: false, outcome: undefined });
  }

  /** @param audioMs of the caller that the session was sent by now */
  saw(event: RealtimeEvent, audioMs: number): void {
    if (event.type === 'ready') this.#isReady = true;
    else if (event.type === 'usage') {
      if (event.of !== 'transcription') this.#counted(event.usage, audioMs);
    } else if ('response' in event) this.#sawOf(event);
  }

  /**
   * Returns an estimate of each, and forgets them.
   * @param isBroken the session broke: what it had not begun may have been refused, which nobody charges for
   */
  take(audioMs: number, isBroken: boolean): RealtimeUsage[] {
    const responses = this.#isReady ? [...this.#responses.values()] : [];
    this.#responses.clear();
    return responses
      .filter(({ hasBegun }, n) => hasBegun || (n === 0 && !isBroken))
      .map((response) => this.#estimate(response, audioMs));
  }

  #sawOf(event: Extract<RealtimeEvent, { readonly response: number }>): void {
    const response = this.#responses.get(event.response);
    if (!response) return;
    switch (event.type) {
      case 'text':
        response.spoken += event.delta.length;
        break;
      case 'tool_call':
        response.written += event.call.name.length + event.call.arguments.length;
        break;
      case 'response_finished':
        response.outcome = event.outcome;
        // It was refused, or given up before its turn came.
        if (!response.hasBegun) this.#responses.delete(event.response);
        return;
      case 'audio':
      case 'tool_call_part':
      case 'response_started':
        break;
    }
    response.hasBegun = true;
  }

  #counted(usage: RealtimeUsage, audioMs: number): void {
    this.#input = usage;
    this.#inputAudioMs = audioMs;
    const ended = [...this.#responses].filter(([, { outcome }]) => outcome !== undefined);
    const counted = ended.length > 0 ? ended : [...this.#responses].slice(0, 1);
    for (const [number] of counted) this.#responses.delete(number);
  }

  #estimate({ spoken, written }: UncountedResponse, audioMs: number): RealtimeUsage {
    const input = this.#input;
    const heard = Math.ceil((audioMs - this.#inputAudioMs) * HEARD_TOKENS_PER_MS);
    return {
      ...input,
      inputAudioTokens: input.inputAudioTokens + heard,
      outputAudioTokens: Math.ceil(spoken * SPOKEN_TOKENS_PER_CHARACTER),
      outputTextTokens: Math.ceil((spoken + written) / CHARACTERS_PER_TOKEN),
    };
  }
}

function charactersOf(item: RealtimeHistoryItem): number {
  return item.role === 'tool_call' ? item.call.name.length + item.call.arguments.length : item.text.length;
}
