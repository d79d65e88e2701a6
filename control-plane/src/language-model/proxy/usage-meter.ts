import { z } from 'zod';

/** A usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

const counted = z.looseObject({
  usage: z
    .looseObject({ prompt_tokens: z.number().nonnegative(), completion_tokens: z.number().nonnegative() })
    .nullish(),
});

export interface MeteredUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}

interface UsageMeterOptions {
  readonly streamed: boolean;
  readonly inputCharacters: number;
}

/** Reads what an answer cost from the bytes that pass by: a JSON body, or server-sent events with a usage chunk. */
export class UsageMeter {
  readonly #decoder = new TextDecoder();
  readonly #options: UsageMeterOptions;
  #text = '';
  #characters = 0;
  #usage: { prompt_tokens: number; completion_tokens: number } | undefined;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
  }

  see(bytes: Uint8Array): void {
    this.#characters += bytes.length;
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (!this.#options.streamed) return;
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data: {') && line.includes('"usage"')) this.#read(line.slice(6));
  }

  /** Returns the model's own word; without it, because the answer was broken off, an estimate. */
  result(): MeteredUsage {
    if (!this.#options.streamed) this.#read(this.#text);
    if (this.#usage) {
      const { prompt_tokens, completion_tokens } = this.#usage;
      return { inputTokens: prompt_tokens, outputTokens: completion_tokens, estimated: false };
    }
    return {
      inputTokens: Math.ceil(this.#options.inputCharacters / CHARACTERS_PER_TOKEN),
      // Of a stream most is packaging: a chunk of some 300 bytes a token.
      outputTokens: Math.ceil(this.#characters / (this.#options.streamed ? 300 : CHARACTERS_PER_TOKEN)),
      estimated: true,
    };
  }

  #read(text: string): void {
    try {
      this.#usage = counted.parse(JSON.parse(text)).usage ?? this.#usage;
    } catch {
      // Not a chunk of ours to read.
    }
  }
}
