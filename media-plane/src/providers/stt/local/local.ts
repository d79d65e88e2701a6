import { bytesPerMs } from '@voice/shared/audio/format';
import { localSpeechToTextParams } from '@voice/shared/catalogue/params/local';
import { z } from 'zod';
import { ProviderError } from '../../provider-error.js';
import type { SpeechToText, SttOptions, SttSession } from '../port.js';
import { CaptionSession } from './caption-session.js';
import type { Recogniser } from './recogniser/recogniser-process.js';
import { RecogniserSession } from './recogniser/recogniser-session.js';

const NAME = 'local';

export interface LocalSpeechToTextOptions {
  /** The machine's recogniser, where a model is installed. */
  readonly recogniser?: Recogniser | undefined;
  /** ISO 639-1, of the model; undefined when it is not known. */
  readonly language?: string | undefined;
}

/** Creates the speech to text that needs no key: a model on this machine, or the captions of simulated people. */
export function createLocalSpeechToText(options: LocalSpeechToTextOptions = {}): SpeechToText {
  return { name: NAME, open: (session) => open(options, session) };
}

function open({ recogniser, language }: LocalSpeechToTextOptions, options: SttOptions): SttSession {
  const params = localSpeechToTextParams.safeParse(options.choice.params);
  if (!params.success) {
    return refused(options, `parameters of the local speech to text: ${z.prettifyError(params.error)}`);
  }
  const { ears = options.captionsUrl === undefined ? undefined : 'captions' } = params.data;
  if (ears === 'captions') return new CaptionSession(options);
  const understood = language === undefined || sameLanguage(language, options.language);
  if (recogniser && understood) {
    return new RecogniserSession({ ...options, recogniser, audioFormat: options.format });
  }
  if (ears === undefined) return new CaptionSession(options);
  return refused(
    options,
    recogniser
      ? `the local recogniser understands '${language}', not '${options.language}'`
      : 'there is no local recogniser on this machine: “npm run models” brings one',
  );
}

function sameLanguage(language: string, tag: string): boolean {
  return tag.toLowerCase().split(/[-_]/)[0] === language;
}

/** Creates a session that fails for good before it has heard anything. */
function refused(options: SttOptions, message: string): SttSession {
  let closed = false;
  let bytes = 0;
  queueMicrotask(() => {
    if (closed) return;
    const error = new ProviderError({
      provider: NAME,
      kind: 'stt',
      code: 'bad_request',
      message,
      retryable: false,
    });
    options.onEvent({ type: 'failed', error });
  });
  return {
    write: (frame) => {
      bytes += frame.length;
    },
    voiceActivity: () => {},
    finalize: () => {},
    get audioMs() {
      return bytes / bytesPerMs(options.format);
    },
    close: () => {
      closed = true;
    },
  };
}
