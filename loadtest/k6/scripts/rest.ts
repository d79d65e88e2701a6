import { Rate, Trend } from 'k6/metrics';
import { type Answer, read, request } from './api.ts';
import { settings } from './settings.ts';

const reads = new Trend('rest_read_ms', true);
const writes = new Trend('rest_write_ms', true);
const all = new Trend('rest_ms', true);
const failed = new Rate('rest_failed');

/** Ids that this user has seen. */
let calls: readonly string[] = [];
let ownAgent: string | undefined;
let count = 0;

interface Step {
  /** Of a hundred requests. */
  readonly share: number;
  readonly write?: true;
  run(): Answer;
}

/** What users of an API do: nine reads to four writes, which create, change and dial. */
const MIX: readonly Step[] = [
  { share: 25, run: listCalls },
  { share: 14, run: () => (calls[0] ? one(calls[count % calls.length]!) : listCalls()) },
  { share: 8, run: () => request('GET', '/api/v1/agents?limit=20') },
  {
    share: 8,
    run: () => request('GET', `/api/v1/agents/${settings.agentId}`, undefined, '/api/v1/agents/{agent_id}'),
  },
  { share: 6, run: () => request('GET', '/api/v1/campaigns?limit=20') },
  { share: 4, run: () => request('GET', '/api/v1/billing/usage') },
  { share: 4, run: () => request('GET', '/api/v1/phones') },
  { share: 6, write: true, run: createAgent },
  { share: 16, write: true, run: () => (ownAgent ? renameAgent(ownAgent) : createAgent()) },
  { share: 6, write: true, run: check },
  { share: 3, write: true, run: dial },
];
const TOTAL = MIX.reduce((sum, { share }) => sum + share, 0);

/** One request of the mix. */
export function rest(): void {
  count += 1;
  let left = Math.random() * TOTAL;
  for (const { share, write, run } of MIX) {
    left -= share;
    if (left >= 0) continue;
    const answer = run();
    failed.add(answer.status < 200 || answer.status > 299);
    (write ? writes : reads).add(answer.timings.duration);
    all.add(answer.timings.duration);
    return;
  }
}

function listCalls(): Answer {
  const answer = request('GET', '/api/v1/calls?limit=25', undefined, '/api/v1/calls');
  calls = read<{ calls: readonly { id: string }[] }>(answer)?.calls.map(({ id }) => id) ?? [];
  return answer;
}

function one(id: string): Answer {
  return request('GET', `/api/v1/calls/${id}/detail`, undefined, '/api/v1/calls/{call_id}/detail');
}

function createAgent(): Answer {
  const answer = request('POST', '/api/v1/agents', { name: `Load ${count}`, system_prompt: 'You talk.' });
  ownAgent = read<{ id?: string }>(answer)?.id ?? ownAgent;
  return answer;
}

function renameAgent(id: string): Answer {
  return request('PATCH', `/api/v1/agents/${id}`, { name: `Load ${count}` }, '/api/v1/agents/{agent_id}');
}

function check(): Answer {
  return request('POST', '/api/v1/compliance/check', {
    agent_id: settings.agentId,
    from_number: settings.callerId,
    to_number: settings.numbers.busy,
  });
}

function dial(): Answer {
  return request('POST', '/api/v1/calls', {
    agent_id: settings.agentId,
    from_number: settings.callerId,
    to_number: settings.numbers.rejects,
  });
}
