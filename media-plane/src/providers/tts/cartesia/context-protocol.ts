import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { newId } from '@voice/shared/ids/ids';
import type { SpeechOutput, SpeechProtocol } from '../socket-voice/protocol.js';
import { errorOfMessage, ttsError } from './errors.js';
import { parseServerMessage, type ServerMessage } from './messages.js';
import { alignmentOfWords } from './word-alignment.js';

/** What every input of a context repeats. */
export interface ContextSettings {
  readonly model_id: string;
  readonly voice: { readonly mode: 'id'; readonly id: string };
  readonly language: string;
  readonly output_format: {
    readonly container: 'raw';
    readonly encoding: 'pcm_mulaw' | 'pcm_alaw' | 'pcm_s16le';
    readonly sample_rate: number;
  };
  readonly add_timestamps: true;
  readonly max_buffer_delay_ms: number;
  readonly generation_config?: {
    readonly speed?: number;
    readonly volume?: number;
    readonly emotion?: string;
  };
  readonly pronunciation_dict_id?: string;
}

/**
 * `/tts/websocket` (docs.cartesia.ai/2026-03-01/api-reference/tts/websocket, and "Contexts"): a turn is a context, to
 * which text is added as it comes, and whose audio and word times name it. A context that has spoken all that it has
 * expires a second later; what the turn says after that goes on in another.
 */
export class ContextProtocol implements SpeechProtocol {
  readonly isWorn = false;
  readonly #settings: ContextSettings;
  readonly #perMs: number;
  #contextId: string | undefined;
  /** What the context was given, and how many letters of it were spoken, as far as the times of words show that. */
  #inputs: string[] = [];
  #spokenLetters = 0;
  /** The turn's context that expired before its text ended. */
  #expiredId: string | undefined;
  #isTextEnded = false;
  /** Audio of the turn so far, in ms. */
  #audioMs = 0;
  /** Where the present context's audio began, in ms. */
  #offsetMs = 0;

  constructor(settings: ContextSettings, sends: AudioFormat) {
    this.#settings = settings;
    this.#perMs = bytesPerMs(sends);
  }

  get isDone(): boolean {
    return this.#isTextEnded && this.#contextId === undefined;
  }

  begin(): void {
    this.#contextId = undefined;
    this.#expiredId = undefined;
    this.#isTextEnded = false;
    this.#audioMs = 0;
    this.#offsetMs = 0;
  }

  say(text: string): readonly string[] {
    if (this.#contextId === undefined) {
      this.#contextId = newId();
      this.#offsetMs = this.#audioMs;
      this.#inputs = [];
      this.#spokenLetters = 0;
    }
    this.#inputs.push(text);
    return [this.#input(this.#contextId, `${text} `, true)];
  }

  endOfText(): readonly string[] {
    this.#isTextEnded = true;
    // One that has expired has spoken all that it was given.
    return this.#contextId === undefined ? [] : [this.#input(this.#contextId, '', false)];
  }

  cancel(): readonly string[] {
    const contextId = this.#contextId;
    this.#contextId = undefined;
    return contextId === undefined ? [] : [JSON.stringify({ context_id: contextId, cancel: true })];
  }

  farewell(): readonly string[] {
    return [];
  }

  readBinary(): readonly SpeechOutput[] {
    return [];
  }

  readText(text: string): readonly SpeechOutput[] {
    const message = parseServerMessage(text);
    if (message) return this.#isOurs(message) ? this.#take(message) : [];
    const error = ttsError('protocol_violation', 'cartesia sent something unreadable', true, new Error(text));
    return [{ type: 'failed', error }];
  }

  /**
   * What comes of a turn that was given up still names its context; an error may name none. One of an expired context
   * says that words came too late for it: they are not spoken.
   */
  #isOurs({ type, context_id: id }: ServerMessage): boolean {
    if (id === undefined || id === null) return type === 'error';
    return id === this.#contextId || (type === 'error' && id === this.#expiredId);
  }

  #take(message: ServerMessage): readonly SpeechOutput[] {
    switch (message.type) {
      case 'chunk': {
        const audio = new Uint8Array(Buffer.from(message.data, 'base64'));
        this.#audioMs += audio.length / this.#perMs;
        return [{ type: 'audio', audio }];
      }
      case 'timestamps':
        this.#spokenLetters += lettersOf(message.word_timestamps.words.join(''));
        return [{ type: 'alignment', alignment: alignmentOfWords(message.word_timestamps, this.#offsetMs) }];
      case 'flush_done':
        return [];
      case 'done':
        return this.#ended();
      case 'error': {
        const {
          status_code: status,
          error_code: name,
          title,
          message: text,
          error,
          context_id: id,
        } = message;
        if (id && id === this.#expiredId) {
          return [
            { type: 'failed', error: ttsError('disconnected', 'cartesia ended the turn too early', true) },
          ];
        }
        return [{ type: 'failed', error: errorOfMessage(status, name ?? title ?? '', text ?? error ?? '') }];
      }
    }
  }

  /** Says again, in another context, what came too late for one that was about to expire. */
  #ended(): readonly SpeechOutput[] {
    const unspoken = this.#unspoken();
    const endedId = this.#contextId;
    this.#contextId = undefined;
    if (unspoken.length > 0) {
      const messages = unspoken.flatMap((text) => this.say(text));
      return [{ type: 'send', messages: this.#isTextEnded ? [...messages, ...this.endOfText()] : messages }];
    }
    if (!this.#isTextEnded) this.#expiredId = endedId;
    return this.isDone ? [{ type: 'done' }] : [];
  }

  /** Without the times of any word, all counts as spoken: not every language has them. */
  #unspoken(): readonly string[] {
    if (this.#spokenLetters === 0) return [];
    let before = 0;
    return this.#inputs.filter((text) => {
      const letters = lettersOf(text);
      const isSpoken = this.#spokenLetters >= before + letters / 2;
      before += letters;
      return !isSpoken;
    });
  }

  #input(contextId: string, transcript: string, continues: boolean): string {
    return JSON.stringify({ ...this.#settings, context_id: contextId, transcript, continue: continues });
  }
}

function lettersOf(text: string): number {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length;
}
