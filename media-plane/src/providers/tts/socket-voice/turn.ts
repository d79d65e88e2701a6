import { AudioConverter } from '@voice/shared/audio/converter';
import type { AudioFormat } from '@voice/shared/audio/format';
import { AsyncQueue } from '../../async-queue.js';
import type { ProviderError } from '../../provider-error.js';
import type { SpeechChunk } from '../port.js';
import type { SpeechLink } from './link.js';
import type { TurnOutput } from './protocol.js';

export interface Links {
  /** Takes a connection; `isWarm`: it was there before. */
  take(): { readonly link: SpeechLink; readonly isWarm: boolean };
  /** Gives it back, for the next turn. `hasFailed`: the next one tries anew when it comes, not before. */
  giveBack(link: SpeechLink, hasFailed: boolean): void;
}

/** Sends one turn's text up and its audio down. */
export class SpokenTurn {
  readonly chunks = new AsyncQueue<SpeechChunk>();
  readonly #links: Links;
  readonly #formats: { readonly from: AudioFormat; readonly to: AudioFormat };
  #converter: AudioConverter;
  readonly #said: string[] = [];
  #link: SpeechLink | undefined;
  #isTextEnded = false;
  #isAudible = false;
  #isReplaced = false;
  #over = false;

  constructor(links: Links, formats: { readonly from: AudioFormat; readonly to: AudioFormat }) {
    this.#links = links;
    this.#formats = formats;
    this.#converter = new AudioConverter(formats);
  }

  get over(): boolean {
    return this.#over;
  }

  say(sentence: string): void {
    if (this.#over) return;
    this.#said.push(sentence);
    if (this.#link) this.#link.say(sentence);
    else this.#connect();
  }

  endOfText(): void {
    if (this.#over) return;
    this.#isTextEnded = true;
    if (this.#link) this.#link.endOfText();
    else this.#end();
  }

  fail(error: unknown): void {
    if (this.#over) return;
    this.#link?.cancel();
    this.chunks.fail(error);
    this.#end({ hasFailed: true });
  }

  /** Drops what was not yet taken, and stops the vendor's work. */
  cut(): void {
    if (this.#over) return;
    this.#link?.cancel();
    this.chunks.cut();
    this.#end();
  }

  #connect(): void {
    const { link, isWarm } = this.#links.take();
    this.#link = link;
    link.begin({
      onOutput: (output) => this.#received(output),
      onError: (error) => this.#lost(error, isWarm),
    });
    for (const sentence of this.#said) link.say(sentence);
    if (this.#isTextEnded) link.endOfText();
  }

  #received(output: TurnOutput): void {
    switch (output.type) {
      case 'audio': {
        this.#isAudible ||= output.audio.length > 0;
        const audio = this.#converter.convert(output.audio);
        if (audio.length > 0) this.chunks.push({ audio });
        return;
      }
      case 'alignment':
        this.chunks.push({ audio: new Uint8Array(0), alignment: output.alignment });
        return;
      case 'done': {
        const audio = this.#converter.flush();
        if (audio.length > 0) this.chunks.push({ audio });
        this.#end();
      }
    }
  }

  /** Replaces a connection that died unseen while it waited: as long as nothing was heard, one other says it all. */
  #lost(error: ProviderError, isWarm: boolean): void {
    if (isWarm && !this.#isReplaced && !this.#isAudible && error.code === 'tts_disconnected') {
      this.#isReplaced = true;
      this.#converter = new AudioConverter(this.#formats);
      this.#connect();
      return;
    }
    this.fail(error);
  }

  #end({ hasFailed } = { hasFailed: false }): void {
    if (this.#over) return;
    this.#over = true;
    this.chunks.end();
    if (this.#link) this.#links.giveBack(this.#link, hasFailed);
  }
}
