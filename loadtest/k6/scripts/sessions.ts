import { sleep } from 'k6';
import { read, request } from './api.ts';
import { Caller, CallMetrics } from './caller.ts';
import { settings } from './settings.ts';
import { TesterLine } from './tester-line.ts';

const metrics = new CallMetrics('session');

interface Session {
  readonly stream_url: string;
  readonly token: string;
}

/** Converses with the agent in one WebSocket test session. */
export function session(): void {
  const askedAt = Date.now();
  const asked = request(
    'POST',
    `/api/v1/agents/${settings.agentId}/test/websocket`,
    {},
    'create test session',
  );
  const caller = new Caller(metrics, askedAt);
  const made = asked.status === 201 ? read<Session>(asked) : undefined;
  if (!made) {
    caller.onClosed();
    sleep(1);
    return;
  }
  const line: TesterLine = new TesterLine(`${made.stream_url}?t=${made.token}`, {
    onOpen: () => caller.start(line),
    onAudio: (at, dryMs) => caller.onAudio(at, dryMs),
    onClear: (at) => caller.onClear(at),
    onClosed: () => caller.onClosed(),
  });
}
