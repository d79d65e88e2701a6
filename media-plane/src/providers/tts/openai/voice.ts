import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_24K } from '@voice/shared/audio/format';
import type { OpenAiSpeechParams } from '@voice/shared/catalogue/params/openai-speech';
import { APIConnectionError, type OpenAI } from 'openai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import { AsyncQueue } from '../../async-queue.js';
import type { Preparation } from '../../preparation.js';
import type { SpeechChunk, Voice } from '../port.js';
import { toTtsError, ttsError } from './errors.js';

/** Requests that a turn may have under way: one that is heard, and the next. */
const AT_ONCE = 2;
/** Characters of one request (developers.openai.com/api/reference, "Create speech"). */
const LONGEST_TEXT = 4096;

interface OpenAiVoiceOptions {
  readonly client: OpenAI;
  /** Connections that are open ahead, for as long as the call lasts. */
  readonly held: Preparation;
  readonly model: string;
  readonly params: OpenAiSpeechParams;
  /** Of the audio that is wanted. */
  readonly format: AudioFormat;
}

/**
 * Speaks one call: a request a sentence, whose audio streams in at 24 kHz. The next sentence is asked for while one is
 * heard, and heard after it.
 */
export class OpenAiVoice implements Voice {
  readonly #options: OpenAiVoiceOptions;
  readonly #closed = new AbortController();
  #characters = 0;

  constructor(options: OpenAiVoiceOptions) {
    this.#options = options;
  }

  get characters(): number {
    return this.#characters;
  }

  async *speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpeechChunk> {
    if (signal.aborted) return;
    if (this.#closed.signal.aborted) throw ttsError('unavailable', 'the voice is closed', false);
    const left = new AbortController();
    const over = AbortSignal.any([signal, left.signal, this.#closed.signal]);
    const responses = new AsyncQueue<Promise<Response>>();
    const room = new Room(AT_ONCE);
    const onOver = () => {
      responses.cut();
      room.open();
    };
    over.addEventListener('abort', onOver, { once: true });
    const iterator = sentences[Symbol.asyncIterator]();
    void this.#feed(iterator, responses, room, over);
    const converter = new AudioConverter({ from: L16_24K, to: this.#options.format });
    try {
      for await (const response of responses) {
        for await (const bytes of bodyOf(response)) {
          if (over.aborted) return;
          const audio = converter.convert(bytes);
          if (audio.length > 0) yield { audio };
        }
        const rest = converter.flush();
        if (rest.length > 0) yield { audio: rest };
        room.leave();
      }
    } catch (error) {
      if (over.aborted) return;
      throw error;
    } finally {
      left.abort();
      iterator.return?.().catch(() => {});
    }
  }

  close(): void {
    this.#closed.abort();
    this.#options.held.release();
  }

  async #feed(
    sentences: AsyncIterator<string>,
    responses: AsyncQueue<Promise<Response>>,
    room: Room,
    over: AbortSignal,
  ): Promise<void> {
    try {
      for (let next = await sentences.next(); !next.done && !over.aborted; next = await sentences.next()) {
        for (const text of pieces(next.value.trim())) {
          await room.enter();
          if (over.aborted) return;
          this.#characters += text.length;
          const response = this.#ask(text, over);
          // It is read when its turn comes.
          response.catch(() => {});
          responses.push(response);
        }
      }
      responses.end();
    } catch (error) {
      responses.fail(error);
    }
  }

  /** Asks for one text's audio; a kept connection that died unseen is replaced by another, once. */
  async #ask(text: string, signal: AbortSignal): Promise<Response> {
    const { client } = this.#options;
    const body = this.#body(text);
    try {
      return await client.audio.speech.create(body, { signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof APIConnectionError)) throw toTtsError(error);
    }
    try {
      return await client.audio.speech.create(body, { signal });
    } catch (error) {
      throw toTtsError(error);
    }
  }

  #body(input: string): SpeechCreateParams {
    const { model, params } = this.#options;
    const { voice, instructions, speed } = params;
    return {
      model,
      input,
      voice: voice.startsWith('voice_') ? { id: voice } : voice,
      response_format: 'pcm',
      ...(instructions === undefined || model.startsWith('tts-1') ? {} : { instructions }),
      ...(speed === undefined ? {} : { speed }),
    };
  }
}

/** Lets so many in at a time. */
class Room {
  #places: number;
  #wake: (() => void) | undefined;

  constructor(places: number) {
    this.#places = places;
  }

  async enter(): Promise<void> {
    while (this.#places === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#places -= 1;
  }

  leave(): void {
    this.#places += 1;
    this.#wake?.();
  }

  /** Lets everybody in. */
  open(): void {
    this.#places = Number.POSITIVE_INFINITY;
    this.#wake?.();
  }
}

async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  const type = response.headers.get('content-type') ?? '';
  if (/^(text|application\/json)/.test(type)) {
    throw ttsError('protocol_violation', `openai sent ${type} in place of audio`, true);
  }
  if (!response.body) return;
  try {
    yield* response.body as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw toTtsError(error);
  }
}

/** Cuts a text to what one request may hold, between words where there are any. */
function pieces(text: string): string[] {
  const cut: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_TEXT) {
    const space = rest.lastIndexOf(' ', LONGEST_TEXT);
    const at = space > 0 ? space : LONGEST_TEXT;
    cut.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return rest === '' ? cut : [...cut, rest];
}
