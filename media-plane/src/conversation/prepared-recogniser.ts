import { type AudioFormat, isSameFormat } from '@voice/shared/audio/format';
import type { SpeechToText, SttEvent, SttOptions, SttSession } from '../providers/stt/port.js';

/** Opens the recogniser's session while the phone still rings, for the listener that comes with the line. */
export class PreparedRecogniser {
  readonly #format: AudioFormat;
  readonly #session: SttSession;
  #onEvent: ((event: SttEvent) => void) | undefined;
  #hasFailed = false;

  constructor(speechToText: SpeechToText, options: Omit<SttOptions, 'onEvent'>) {
    this.#format = options.format;
    this.#session = speechToText.open({
      ...options,
      onEvent: (event) => {
        // Nobody has spoken yet: there is nothing else to miss.
        if (event.type === 'failed') this.#hasFailed = true;
        this.#onEvent?.(event);
      },
    });
  }

  /**
   * Hands the session over to the line. Undefined when it takes other audio, or has failed: then one is opened as if
   * none had been.
   */
  take(format: AudioFormat, onEvent: (event: SttEvent) => void): SttSession | undefined {
    if (this.#hasFailed || !isSameFormat(format, this.#format)) {
      this.close();
      return undefined;
    }
    this.#onEvent = onEvent;
    return this.#session;
  }

  close(): void {
    this.#session.close();
  }
}
