import {
  type RecogniserEmulator,
  type RecogniserEmulatorOptions,
  startRecogniserEmulator,
} from '../serving/recogniser-server.js';
import { noTranscriptionFaults, type TranscriptionFaults, TranscriptionSession } from './session.js';

export interface OpenAiTranscriptionEmulator extends RecogniserEmulator {
  /** What `base_url` must be. */
  readonly baseUrl: string;
  readonly faults: RecogniserEmulator['faults'] & TranscriptionFaults;
}

/** Serves transcription sessions of OpenAI's Realtime API on loopback. */
export async function startOpenAiTranscriptionEmulator(
  options: RecogniserEmulatorOptions = {},
): Promise<OpenAiTranscriptionEmulator> {
  const emulator = await startRecogniserEmulator<object>(
    {
      keyOf: ({ headers }) => /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1],
      parse({ pathname, searchParams }) {
        if (pathname !== '/v1/realtime') return { status: 404, message: 'no such path' };
        const query = [...searchParams].map(([name, value]) => `${name}=${value}`).join('&');
        // With a model it would be a conversation.
        return query === 'intent=transcription'
          ? {}
          : { status: 400, message: `not a transcription: ${query}` };
      },
      refusalBody: (_status, message) => ({ error: { message, type: 'invalid_request_error', code: null } }),
      serve: (_query, connection) => new TranscriptionSession(connection, faults),
    },
    options,
  );
  const faults: OpenAiTranscriptionEmulator['faults'] = Object.assign(
    emulator.faults,
    noTranscriptionFaults(),
  );
  return { ...emulator, faults, baseUrl: `${emulator.url}/v1` };
}
