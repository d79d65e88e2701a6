import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Voice } from '../client.js';
import { VoiceError } from '../errors.js';
import { choose } from './choose.js';
import { COMMANDS } from './commands.js';
import { parseFlags } from './flags.js';
import { help } from './help.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voice-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
  readonly signal: AbortSignal | null | undefined;
}

/** Runs a command against a service that answers `METHOD /path` by its script. */
async function attempt(command: string, args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const sent: Sent[] = [];
  const printed: string[] = [];
  const service = async (address: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(address));
    const method = init.method ?? 'GET';
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : init.body;
    sent.push({ method, url, body, signal: init.signal });
    const answer = answers[`${method} ${url.pathname.replace('/api/v1', '')}`] ?? {};
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const { values: flags, positionals } = parseFlags(args);
  const { command: chosen, values } = choose(COMMANDS, [...command.split(' '), ...positionals], flags);
  const stop = new AbortController();
  const session = {
    voice: new Voice({ apiKey: 'sk_test_1', baseUrl: 'https://voice.example', fetch: service }),
    print: (line: string) => printed.push(line),
    signal: stop.signal,
    flags,
  };
  const failure = await chosen.run(session, values).then(
    () => undefined,
    (error: Error) => error,
  );
  return { sent, printed, failure, stop };
}

/** Runs it to its end. */
async function run(...given: Parameters<typeof attempt>) {
  const { failure, ...done } = await attempt(...given);
  if (failure) throw failure;
  return done;
}

const refusal = (status: number, detail: string) =>
  Response.json({ detail, code: 'validation_error' }, { status });

describe('voice agents', () => {
  const agent = (is_active: boolean) => ({ id: 'a-1', name: 'Desk', system_prompt: 'Be kind.', is_active });
  const path = () => join(folder, 'desk.yaml');
  const pull = (is_active: boolean) =>
    run('agents pull', [folder], { 'GET /agents': { agents: [agent(is_active)], next_cursor: null } });
  const push = (stored: boolean, ...flags: string[]) =>
    run('agents push', [folder, ...flags], { 'GET /agents/a-1': agent(stored) });
  const changes = ({ sent }: { readonly sent: readonly Sent[] }) =>
    sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body);

  it('pulls those that are switched off too, and their files say so', async () => {
    await pull(true);
    const { sent } = await pull(false);
    expect(sent[0]?.url.searchParams.get('active_only')).toBe('false');
    expect(readFileSync(path(), 'utf8')).toContain('is_active: false');
  });

  it('leaves an agent off that was switched off after the pull, and says so', async () => {
    await pull(true);
    const pushed = await push(false);
    expect(changes(pushed)).toEqual([]);
    expect(pushed.printed).toEqual([expect.stringMatching(/^the same .*it was switched off and stays so/)]);
  });

  it('changes the rest of an agent that stays off', async () => {
    await pull(true);
    writeFileSync(path(), readFileSync(path(), 'utf8').replace('Be kind.', 'Be brief.'));
    expect(changes(await push(false))).toEqual([
      expect.objectContaining({ system_prompt: 'Be brief.', is_active: false }),
    ]);
  });

  it('switches an agent on again with --activate', async () => {
    await pull(true);
    expect(changes(await push(false, '--activate'))).toEqual([expect.objectContaining({ is_active: true })]);
  });

  it('switches an agent off whose file says so', async () => {
    await pull(false);
    expect(changes(await push(true))).toEqual([expect.objectContaining({ is_active: false })]);
  });
});

describe('voice agents push of several files', () => {
  const file = (name: string, text: string) => writeFileSync(join(folder, `${name}.yaml`), text);
  const desk = { id: 'a-2', name: 'Desk', is_active: true };

  it('goes on after one that is refused, says which and why, and ends as a failure', async () => {
    file('a', 'name: A\nfoo: 1\n');
    file('b', 'id: a-2\nname: B\n');
    file('c', 'id: a-3\nname: C\n');
    const { sent, printed, failure } = await attempt('agents push', [folder], {
      'POST /agents': refusal(422, 'foo: Unknown field'),
      'GET /agents/a-2': desk,
      'GET /agents/a-3': refusal(404, 'No such agent of this tenant.'),
    });
    expect(printed).toEqual([
      `refused  ${join(folder, 'a.yaml')}: foo: Unknown field`,
      `updated  ${join(folder, 'b.yaml')} (name)`,
      expect.stringMatching(/^refused .*c\.yaml: there is no agent of its id; without the line `id`/),
    ]);
    expect(sent.at(-1)?.url.pathname).toBe('/api/v1/agents/a-3');
    expect(failure?.message).toBe('2 of 3 files were refused.');
  });

  it('ends at once where the next file would fare no better', async () => {
    file('a', 'id: a-1\nname: A\n');
    file('b', 'id: a-2\nname: B\n');
    const { sent, failure } = await attempt('agents push', [folder], {
      'GET /agents/a-1': refusal(401, 'The API key is unknown.'),
    });
    expect([sent.length, failure?.message]).toEqual([1, 'The API key is unknown.']);
  });
});

describe('a command', () => {
  it.each([
    ['agents list', []],
    ['calls', []],
    ['campaigns list', []],
    ['campaigns start', ['c-1']],
    ['logs', ['c-1']],
    ['call', ['+15005550013', '--agent', 'a-1', '--from', '+15005550100']],
  ])('%s ends its request when it is interrupted', async (command, args) => {
    const { sent, stop } = await run(command, args, {});
    expect(sent[0]?.signal?.aborted).toBe(false);
    stop.abort();
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  it.each([
    [
      'agents push',
      ['a', 'b'],
      "voice agents push takes no 'b'; `voice agents push --help` shows what it takes.",
    ],
    ['campaigns start', ['c-1', 'c-2'], "voice campaigns start takes no 'c-2'"],
    ['calls', ['--dry-run'], 'voice calls takes no --dry-run'],
    ['logs', ['c-1', '--agent', 'a-1'], 'voice logs takes no --agent'],
    ['agents', [], 'Say which: voice agents list, voice agents pull, voice agents push.'],
    ['agents remove', [], 'Say which: voice agents list'],
    ['bogus', [], 'There is no command bogus; `voice --help` shows those that are.'],
  ])('%s %j is refused, not half of it ignored', async (command, args, message) => {
    await expect(run(command, args, {})).rejects.toThrow(message);
  });

  it('has help of its own, a group that of its commands, and nonsense that of all', () => {
    expect(help(COMMANDS, ['agents', 'push'])).toMatch(/^voice agents push \[FOLDER\] \[--dry-run\]/);
    expect(help(COMMANDS, ['logs', 'c-1'])).toMatch(/^voice logs CALL_ID/);
    expect(help(COMMANDS, ['campaigns'])).toContain('voice campaigns cancel');
    expect(help(COMMANDS, ['campaigns'])).not.toContain('voice logs');
    expect(help(COMMANDS, ['bogus'])).toContain('voice logs');
  });

  it('names each flag that it takes in its usage', () => {
    for (const { name, flags, ...command } of COMMANDS) {
      const named = [...command.arguments.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag);
      const given = command.arguments.includes('[-f]') ? [...named, 'follow'] : named;
      expect.soft([...flags].sort(), name).toEqual(given.sort());
    }
  });
});

describe('voice logs', () => {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const status = (name: string, end_reason?: string) => event({ type: 'status', status: name, end_reason });

  it('-f says each state once, also where the connection came back', async () => {
    const stream = [
      ...[status('QUEUED'), status('RINGING'), status('QUEUED'), status('RINGING'), status('IN_PROGRESS')],
      status('VOICEMAIL', 'voicemail'),
    ].join('');
    const { printed } = await run('logs', ['c-1', '-f'], { 'GET /calls/c-1/live': new Response(stream) });
    expect(printed).toEqual(['· QUEUED', '· RINGING', '· IN_PROGRESS', '· VOICEMAIL (voicemail)']);
  });

  it('says what was interrupted, as -f does', async () => {
    const turn = { role: 'agent', text: 'I am sorry, I do not know.', heard_text: '', interrupted: true };
    const { printed } = await run('logs', ['c-1'], {
      'GET /calls/c-1/detail': { transcript: [turn], status: 'COMPLETED' },
    });
    expect(printed).toEqual(['agent: I am sorry, I do not know. [interrupted]', '· COMPLETED']);
  });
});

describe('voice call', () => {
  const args = ['+15005550013', '--agent', 'a-1', '--from', '+15005550100'];

  it('sets every variable that is given', async () => {
    const { sent } = await run('call', [...args, '--var', 'name=Ada', '--var', 'sum=1+1=2'], {});
    expect(sent[0]?.body).toMatchObject({ variables: { name: 'Ada', sum: '1+1=2' } });
  });

  it('sends no variables where none is given', async () => {
    const { sent } = await run('call', args, {});
    expect(sent[0]?.body).not.toHaveProperty('variables');
  });

  it('refuses a variable without a value', async () => {
    await expect(run('call', [...args, '--var', 'name'], {})).rejects.toThrow(
      "--var: expected NAME=VALUE, got 'name'.",
    );
  });
});

describe('voice campaigns upload', () => {
  const numbers = { phone_numbers: [{ id: 'p-1', phone_number: '+15005550100' }] };
  const path = () => join(folder, 'contacts.csv');
  const upload = (...from: string[]) => {
    writeFileSync(path(), Buffer.from('phone,first_name\n+15005550006,Zo\xeb\n', 'latin1'));
    const args = [path(), '--agent', 'a-1', '--name', 'May', ...from];
    return run('campaigns upload', args, { 'GET /phones': numbers });
  };

  it('sends the bytes of the file, whatever encoding they have', async () => {
    const { sent } = await upload();
    const form = sent[0]?.body as FormData;
    const file = form.get('file') as File;
    expect(Buffer.from(await file.arrayBuffer())).toEqual(readFileSync(path()));
  });

  it('names a file that cannot be read', async () => {
    const { failure } = await attempt('campaigns upload', [join(folder, 'none.csv')], {});
    expect(failure).toBeInstanceOf(VoiceError);
    expect(failure?.message).toMatch(/none\.csv cannot be read/);
  });

  it('names the number to call from by its id', async () => {
    const { sent } = await upload('--from', '+15005550100');
    expect(sent.at(-1)?.url.searchParams.get('caller_id')).toBe('p-1');
  });

  it('leaves the choice of the number to the service where none is given', async () => {
    const { sent } = await upload();
    expect(sent.map(({ url }) => url.search)).toEqual(['?agent_id=a-1&campaign_name=May']);
  });

  it('refuses a number that the tenant has not, and says which it has', async () => {
    await expect(upload('--from', '+15005550199')).rejects.toThrow(
      '--from: +15005550199 is no number of yours in the mode of this key. There are: +15005550100.',
    );
  });
});
