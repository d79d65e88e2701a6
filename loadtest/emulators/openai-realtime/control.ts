import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { requestUrl } from '../serving/http-server.js';
import type { OpenAiRealtimeEmulator } from './emulator.js';

const count = z.int().min(0);
/** `POST /emulator/faults`: for tests whose emulator is another process. */
const faultsBody = z.strictObject({
  refuseNext: count.optional(),
  refuseStatus: z.union([401, 403, 429, 500, 503].map((status) => z.literal(status))).optional(),
  holdNext: count.optional(),
  muteNext: count.optional(),
  stallNext: count.optional(),
  cutNext: count.optional(),
  failNext: count.optional(),
  failCode: z.enum(['server_error', 'rate_limit_exceeded', 'insufficient_quota']).optional(),
  afterAudioMs: count.optional(),
  failTranscriptionNext: count.optional(),
  sessionLimitMs: count.optional(),
});

/**
 * Serves what only an emulator has: `GET /emulator/counters`, `POST /emulator/faults` with any of the faults' fields,
 * `POST /emulator/{release,disconnect,expire}`. All else is 404.
 */
export function serveControl(
  emulator: OpenAiRealtimeEmulator,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const reply = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const actions: Readonly<Record<string, () => void>> = {
    'POST /emulator/release': () => emulator.release(),
    'POST /emulator/disconnect': () => emulator.dropConnections(),
    'POST /emulator/expire': () => emulator.expireSessions(),
  };
  const wanted = `${request.method} ${requestUrl(request).pathname}`;
  if (wanted === 'GET /emulator/counters') {
    reply(200, emulator.counters);
  } else if (wanted === 'POST /emulator/faults') {
    void readJson(request).then((body) => {
      const parsed = faultsBody.safeParse(body);
      if (parsed.success) reply(200, Object.assign(emulator.faults, parsed.data));
      else reply(400, { error: { message: parsed.error.issues[0]!.message } });
    });
  } else {
    const action = actions[wanted];
    action?.();
    reply(action ? 200 : 404, action ? {} : { error: { message: `Invalid URL (${wanted})` } });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > 10_000) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
