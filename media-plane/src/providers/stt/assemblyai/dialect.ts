import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { z } from 'zod';
import type { ConnectionEnd } from '../../provider-socket.js';
import type { Dialect, DialectOutput } from '../socket-session/dialect.js';
import { errorOfEnd } from './errors.js';

const word = z.object({
  text: z.string(),
  /** In ms since the first audio of the session. */
  start: z.number(),
  end: z.number(),
  confidence: z.number().default(0.9),
});

/** Messages of a session (assemblyai.com/docs/streaming, "Message sequence"). */
const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Begin') }),
  z.object({ type: z.literal('SpeechStarted'), timestamp: z.number().optional() }),
  z.object({
    type: z.literal('Turn'),
    turn_is_formatted: z.boolean().default(false),
    end_of_turn: z.boolean(),
    transcript: z.string(),
    end_of_turn_confidence: z.number().default(0),
    words: z.array(word).default([]),
  }),
  z.object({ type: z.literal('Termination') }),
  z.object({
    type: z.literal('Error'),
    error_code: z.union([z.number(), z.string()]).optional(),
    error: z.string().default(''),
  }),
]);
type Turn = Extract<z.infer<typeof message>, { type: 'Turn' }>;

interface AssemblyAiDialectOptions {
  readonly format: AudioFormat;
  /** Whether a turn comes once more, formatted, when it is over. */
  readonly formatsTurns: boolean;
  /** From which it counts as decided that a turn is over. */
  readonly threshold: number;
}

/**
 * Streaming v3: audio up as binary messages of 50 to 1,000 ms, turns down. Words are final as they come; where a turn
 * ends is decided by a model of turns, so our own silence (`ForceEndpoint`) is not forced on it.
 */
export class AssemblyAiDialect implements Dialect {
  readonly chunkMs = 100;
  readonly leastMs = 50;
  /** A session without audio stays open. */
  readonly keepAlive = undefined;
  readonly closeStream = JSON.stringify({ type: 'Terminate' });
  readonly #options: AssemblyAiDialectOptions;
  readonly #converter: AudioConverter | undefined;

  constructor(options: AssemblyAiDialectOptions) {
    this.#options = options;
    const { format } = options;
    const sends = sentFormat(format);
    if (sends !== format) this.#converter = new AudioConverter({ from: format, to: sends });
  }

  encode(audio: Uint8Array): Uint8Array {
    return this.#converter ? this.#converter.convert(audio) : audio;
  }

  finalize(): undefined {
    return undefined;
  }

  errorOfEnd(end: ConnectionEnd) {
    return errorOfEnd(end);
  }

  decode(raw: unknown): readonly DialectOutput[] {
    const parsed = message.safeParse(raw);
    if (!parsed.success) return [];
    switch (parsed.data.type) {
      case 'Turn':
        return this.#turn(parsed.data);
      case 'SpeechStarted':
        return parsed.data.timestamp === undefined
          ? []
          : [{ type: 'speech_started', atMs: parsed.data.timestamp }];
      case 'Error':
        return [
          { type: 'provider_error', code: String(parsed.data.error_code ?? ''), message: parsed.data.error },
        ];
      case 'Begin':
      case 'Termination':
        return [];
    }
  }

  #turn(turn: Turn): readonly DialectOutput[] {
    const { words, end_of_turn: isOver, turn_is_formatted: isFormatted } = turn;
    const isLast = isOver && (isFormatted || !this.#options.formatsTurns);
    // Until the turn is over, `transcript` leaves out the words that are not final.
    const text = isOver ? turn.transcript.trim() : words.map((one) => one.text).join(' ');
    const first = words[0];
    const last = words.at(-1);
    if (text === '' || !first || !last) return [];
    const confidence = words.reduce((sum, one) => sum + one.confidence, 0) / words.length;
    const transcript: DialectOutput = {
      type: 'transcript',
      text,
      final: isLast,
      confidence: Math.min(1, Math.max(0, confidence)),
      startMs: first.start,
      endMs: last.end,
    };
    if (!isLast) return [transcript];
    const sure = turn.end_of_turn_confidence;
    return [
      transcript,
      { type: 'settled', beforeMs: last.end, fromFinalize: false },
      // Less sure than it was asked to be, it has only waited long enough.
      { type: 'end_of_turn', decided: sure >= this.#options.threshold, confidence: sure, text },
    ];
  }
}

/** The service takes mu-law and linear audio; A-law is made mu-law. */
export function sentFormat(format: AudioFormat): AudioFormat {
  return format.encoding === 'pcma' ? PCMU_8K : format;
}
