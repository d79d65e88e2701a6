import { bytesPerMs } from '@voice/shared/audio/format';
import type { Timer } from '@voice/shared/clock/clock';
import { caption } from '@voice/shared/contracts/captions';
import { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, connectionError, ProviderSocket } from '../../provider-socket.js';
import type { SttOptions, SttSession } from '../port.js';
import { type Heard, HeardWords } from './heard-words.js';

const NAME = 'local';
/** A lost connection to the captions is tried again this often, with these waits in ms. */
const RECONNECT_MS = [100, 400, 1600];

/**
 * Speech to text without a model: the script of a simulated person, released only as far as its audio
 * has arrived and the voice-activity detector heard speech in it. Of a real caller it knows that there is
 * speech, as the detector does, and never a word.
 */
export class CaptionSession implements SttSession {
  readonly #options: SttOptions;
  readonly #heard = new HeardWords();
  #socket: ProviderSocket | undefined;
  #reconnect: Timer | undefined;
  #failures = 0;
  #bytes = 0;
  #closed = false;

  constructor(options: SttOptions) {
    this.#options = options;
    if (options.captionsUrl) this.#connect(options.captionsUrl);
    else
      options.log.warn(
        { provider: NAME },
        'the local speech-to-text understands simulated people only: this caller will be heard, not understood. “npm run models” brings a recogniser',
      );
  }

  get audioMs(): number {
    return this.#bytes / bytesPerMs(this.#options.format);
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    this.#bytes += frame.length;
    this.#listen();
  }

  voiceActivity(speaking: boolean, atMs: number): void {
    if (this.#closed) return;
    if (speaking) {
      this.#heard.speechStarted(atMs);
      this.#listen();
    } else {
      this.#heard.speechStopped(atMs);
      this.#listen();
      this.finalize();
    }
  }

  finalize(): void {
    if (this.#closed) return;
    const segment = this.#heard.finish();
    if (segment) this.#report(segment, true);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reconnect?.cancel();
    this.#socket?.close();
  }

  #listen(): void {
    if (!this.#heard.listen(this.audioMs)) return;
    this.#report(this.#heard.segment!, false);
    // The script was slower than its audio: the speech has ended before its words were known.
    if (!this.#heard.speaking) this.finalize();
  }

  #report({ text, startMs, endMs }: Heard, final: boolean): void {
    this.#options.onEvent({ type: 'transcript', text, final, confidence: 1, startMs, endMs });
  }

  #connect(captionsUrl: string): void {
    this.#socket = new ProviderSocket({
      url: new URL(captionsUrl),
      events: {
        onOpen: () => {
          this.#failures = 0;
        },
        onText: (text) => this.#receive(text),
        onEnd: (end) => this.#lost(captionsUrl, end),
      },
    });
  }

  #receive(text: string): void {
    const parsed = caption.safeParse(parseJson(text));
    if (!parsed.success) {
      this.#fail(
        new ProviderError({
          provider: NAME,
          kind: 'stt',
          code: 'protocol_violation',
          message: 'the captions of the simulated person are malformed',
          retryable: false,
          cause: parsed.error,
        }),
      );
      return;
    }
    this.#heard.take(parsed.data);
    this.#listen();
  }

  #lost(captionsUrl: string, end: ConnectionEnd): void {
    if (this.#closed) return;
    // The person hung up: nothing more will be said, and the media stream says the rest.
    if (end.closeCode === 1000) return;
    const wait = RECONNECT_MS[this.#failures++];
    if (wait === undefined) {
      this.#fail(connectionError('stt', NAME, end));
      return;
    }
    this.#reconnect = this.#options.clock.schedule(wait, () => this.#connect(captionsUrl));
  }

  #fail(error: ProviderError): void {
    if (this.#closed) return;
    this.close();
    this.#options.onEvent({ type: 'failed', error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
