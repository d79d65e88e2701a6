import type { ToolCall, TurnTakingEvent } from '../events.js';
import type { TurnTakingOptions } from '../port.js';

/** What a scripted call's model, voice, tools and caller do. */

/** An event before it is stamped with its time. */
export type Unstamped = TurnTakingEvent extends infer E
  ? E extends TurnTakingEvent
    ? Omit<E, 'at'>
    : never
  : never;

/** What a generation does: its delays are in ms. */
export interface Answer {
  readonly sentences: readonly string[];
  readonly toolCalls?: readonly ToolCall[];
  readonly firstTokenMs?: number;
  readonly sentenceMs?: number;
  /** After the sentences, instead of finishing. */
  readonly fails?: { readonly retryable: boolean; readonly playsOut?: boolean };
}

export interface ScriptedCallOptions {
  readonly options?: Partial<Omit<TurnTakingOptions, 'settings'>>;
  readonly settings?: Partial<TurnTakingOptions['settings']>;
  /** What the model answers to the n-th generation (from 0). */
  readonly model?: (n: number, basis: string) => Answer;
  /** From a text to its first audio. */
  readonly voiceMs?: (n: number) => number;
  /** Whether the voice fails on a fixed text. */
  readonly voiceFails?: (text: string) => boolean;
  readonly toolMs?: (n: number) => number;
  readonly toolResult?: (call: ToolCall) => { readonly ok: boolean; readonly result: string };
}

/** How long a spoken word lasts, of either side, in ms. */
export const WORD_MS = 300;

export interface CallerSpeech {
  /** From a word's end to the interim with it. */
  readonly interimMs?: number;
  /** From the end of speech to the final text. */
  readonly finalMs?: number;
  readonly wordMs?: number;
  readonly confidence?: number;
}

export function tool(name: string, change: Partial<ToolCall> = {}): ToolCall {
  return { id: `call_${name}`, name, arguments: '{}', kind: 'http', sideEffects: true, ...change };
}

/** Returns how long the text takes to say, in ms. */
export function audioMs(text: string): number {
  return text.split(' ').length * WORD_MS;
}

/** Returns the whole words of the text that were heard after so many ms. */
export function textAt(text: string, heardMs: number): string {
  return text
    .split(' ')
    .slice(0, Math.floor(heardMs / WORD_MS))
    .join(' ');
}
