import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Voice } from '../client.js';
import { COMMANDS } from './commands.js';
import { parseFlags } from './flags.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voice-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

/** Runs a command against a service that answers `METHOD /path` by its script. */
async function run(command: string, args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const sent: Sent[] = [];
  const printed: string[] = [];
  const service = async (address: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(address));
    const method = init.method ?? 'GET';
    sent.push({ method, url, body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined });
    return Response.json(answers[`${method} ${url.pathname.replace('/api/v1', '')}`] ?? {});
  };
  const { values, positionals } = parseFlags(args);
  await COMMANDS.find(({ name }) => name === command)!.run(
    {
      voice: new Voice({ apiKey: 'sk_test_1', baseUrl: 'https://voice.example', fetch: service }),
      print: (line) => printed.push(line),
      signal: new AbortController().signal,
      flags: values,
    },
    positionals,
  );
  return { sent, printed };
}

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
  const upload = (...from: string[]) => {
    const path = join(folder, 'contacts.csv');
    writeFileSync(path, 'phone\n+15005550006\n');
    const args = [path, '--agent', 'a-1', '--name', 'May', ...from];
    return run('campaigns upload', args, { 'GET /phones': numbers });
  };

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
