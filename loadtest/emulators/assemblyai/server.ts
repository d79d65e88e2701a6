import {
  type RecogniserEmulator,
  type RecogniserEmulatorOptions,
  startRecogniserEmulator,
} from '../serving/recogniser-server.js';
import { parseStreaming, type StreamingQuery } from './query.js';
import { StreamingSession } from './session.js';

export interface AssemblyAiEmulator extends RecogniserEmulator {
  /** Of the accepted sessions, newest last. */
  readonly queries: readonly StreamingQuery[];
}

/** Serves AssemblyAI's streaming speech to text, v3, on loopback. */
export async function startAssemblyAiEmulator(
  options: RecogniserEmulatorOptions = {},
): Promise<AssemblyAiEmulator> {
  const queries: StreamingQuery[] = [];
  const emulator = await startRecogniserEmulator<StreamingQuery>(
    {
      // The key alone; a Bearer is not one.
      keyOf: ({ headers }) => /^\S+$/.exec(headers.authorization ?? '')?.[0],
      closesUnauthorized: { code: 1008, reason: 'Unauthorized Connection: Invalid API key' },
      parse: parseStreaming,
      refusalBody: (_status, message) => ({ error: message }),
      serve(query, connection) {
        queries.push(query);
        return new StreamingSession(query, connection);
      },
    },
    options,
  );
  return { ...emulator, queries };
}
