import { readFileSync } from 'node:fs';
import { ConflictError, InvalidRequestError, NotFoundError, VoiceError } from '../errors.js';
import { type AgentFile, differences, keepId, readAgentFiles, writeAgentFiles } from './agent-files.js';
import type { Command, Session } from './command.js';
import { describe, describeTurn, table } from './describe.js';
import { variablesOf } from './flags.js';
import { listenCommand } from './webhooks.js';

const CALL_LIST = 20;
/** Of a call that goes on, in their order. */
const STATUSES: readonly string[] = ['QUEUED', 'RINGING', 'IN_PROGRESS'];

function needed(value: string | undefined, what: string): string {
  if (!value) throw new VoiceError(`${what} is missing; \`voice --help\` shows the commands.`);
  return value;
}

/** Returns the id of the tenant's number, which campaigns name it by. Throws a `VoiceError` where it has none such. */
async function callerIdOf({ voice, signal }: Session, number: string): Promise<string> {
  const { phone_numbers: numbers } = await voice.phoneNumbers.list({ signal });
  const own = numbers.find(({ phone_number }) => phone_number === number);
  if (own !== undefined) return own.id;
  const all = numbers.map(({ phone_number }) => phone_number).join(', ') || 'none';
  throw new VoiceError(`--from: ${number} is no number of yours in the mode of this key. There are: ${all}.`);
}

/** Returns a CSV file as it is: the service reads the encodings that spreadsheets write. Throws a `VoiceError`. */
function csvOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new VoiceError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function followCall({ voice, print, signal }: Session, callId: string): Promise<void> {
  let reached = -1;
  for await (const event of voice.calls.follow(callId, { signal })) {
    // A connection that comes back begins with what the call has been through.
    const at = event.type === 'status' ? STATUSES.indexOf(event.status) : -1;
    if (at >= 0 && at <= reached) continue;
    reached = Math.max(reached, at);
    const line = describe(event);
    if (line !== undefined) print(line);
  }
}

/**
 * Makes an agent what its file says, and returns what was done in words. `is_active` is the kill switch: a file from
 * before somebody threw it must not bring the agent back, so that only `--activate` does.
 */
async function pushAgent({ voice, flags, signal }: Session, file: AgentFile): Promise<string> {
  const dry = flags['dry-run'] === true;
  if (file.id === undefined) {
    if (!dry) keepId(file, (await voice.agents.create(file.settings, { signal })).id);
    return `${dry ? 'would create' : 'created'}  ${file.path}`;
  }
  const agent = await voice.agents.get(file.id, { signal });
  const staysOff = !agent.is_active && file.settings.is_active === true && flags.activate !== true;
  const settings = staysOff ? { ...file.settings, is_active: false } : file.settings;
  const changed = differences({ ...file, settings }, agent);
  if (changed.length > 0 && !dry) await voice.agents.update(file.id, settings, { signal });
  const what = changed.length === 0 ? 'the same' : dry ? 'would update' : 'updated';
  const names = changed.length > 0 ? ` (${changed.join(', ')})` : '';
  const off = staysOff
    ? '; it was switched off and stays so: --activate switches it on, a pull corrects the file'
    : '';
  return `${what}  ${file.path}${names}${off}`;
}

/** Returns why a file was not pushed; nothing where the next one would fare no better. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof NotFoundError) {
    return 'there is no agent of its id; without the line `id` a push makes a new one';
  }
  const isOfTheFile = error instanceof InvalidRequestError || error instanceof ConflictError;
  return isOfTheFile ? error.message : undefined;
}

/** Pushes all that can be; throws a `VoiceError` when files were refused. */
async function pushAgents(session: Session, folder: string): Promise<void> {
  const files = readAgentFiles(folder);
  let refused = 0;
  for (const file of files) {
    try {
      session.print(await pushAgent(session, file));
    } catch (error) {
      const why = refusalOf(error);
      if (why === undefined) throw error;
      refused += 1;
      session.print(`refused  ${file.path}: ${why}`);
    }
  }
  if (refused > 0) throw new VoiceError(`${refused} of ${files.length} files were refused.`);
}

/** The commands that need a key. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'agents list',
    arguments: '',
    summary: 'list the agents',
    values: 0,
    flags: [],
    run: async ({ voice, print, signal }) => {
      const agents = await voice.agents.list({}, { signal }).all();
      if (agents.length === 0)
        print('No agents yet: `voice agents push` makes one of each YAML file in agents/.');
      else print(table([['ID', 'NAME'], ...agents.map(({ id, name }) => [id, name])]));
    },
  },
  {
    name: 'agents pull',
    arguments: '[FOLDER]',
    summary: 'write the agents as YAML files (agents/)',
    values: 1,
    flags: [],
    run: async ({ voice, print, signal }, [folder = 'agents']) => {
      // Those that are switched off too: a file of before would go on to say that they are on.
      const agents = await voice.agents.list({ active_only: false }, { signal }).all();
      const changed = writeAgentFiles(folder, agents);
      for (const path of changed) print(`written  ${path}`);
      print(`${agents.length} agents, ${changed.length} files changed`);
    },
  },
  {
    name: 'agents push',
    arguments: '[FOLDER] [--dry-run] [--activate]',
    summary: 'make the agents what the YAML files say; --activate switches on again what was switched off',
    values: 1,
    flags: ['dry-run', 'activate'],
    run: (session, [folder = 'agents']) => pushAgents(session, folder),
  },
  {
    name: 'call',
    arguments: 'NUMBER --agent ID --from NUMBER [--var NAME=VALUE]… [--follow]',
    summary: 'place a call',
    values: 1,
    flags: ['agent', 'from', 'var', 'follow'],
    run: async (session, [to]) => {
      const { voice, print, flags, signal } = session;
      const request = {
        agent_id: needed(flags.agent, '--agent'),
        from_number: needed(flags.from, '--from'),
        to_number: needed(to, 'NUMBER'),
        variables: variablesOf(flags),
      };
      const call = await voice.calls.create(request, { signal });
      print(call.id);
      if (flags.follow === true) await followCall(session, call.id);
    },
  },
  {
    name: 'calls',
    arguments: '[--status STATUS]',
    summary: `list the last ${CALL_LIST} calls`,
    values: 0,
    flags: ['status'],
    run: async ({ voice, print, flags, signal }) => {
      const status = flags.status?.toUpperCase() as never;
      const calls = await voice.calls.list({ limit: CALL_LIST, status }, { signal }).all(CALL_LIST);
      if (calls.length === 0) print('No calls yet.');
      else {
        print(
          table([
            ['ID', 'STATUS', 'DIRECTION', 'FROM', 'TO'],
            ...calls.map((call) => [
              call.id,
              call.status,
              call.direction,
              call.from_number ?? 'erased',
              call.to_number ?? 'erased',
            ]),
          ]),
        );
      }
    },
  },
  {
    name: 'logs',
    arguments: 'CALL_ID [-f]',
    summary: 'show what was said in a call; -f follows it until it is over',
    values: 1,
    flags: ['follow'],
    run: async (session, [callId]) => {
      const id = needed(callId, 'CALL_ID');
      if (session.flags.follow === true) return followCall(session, id);
      const { voice, print, signal } = session;
      const { transcript, status } = await voice.calls.detail(id, { signal });
      for (const turn of transcript ?? []) print(describeTurn(turn));
      print(`· ${status}`);
    },
  },
  {
    name: 'campaigns list',
    arguments: '',
    summary: 'list the campaigns',
    values: 0,
    flags: [],
    run: async ({ voice, print, signal }) => {
      const campaigns = await voice.campaigns.list({}, { signal }).all();
      if (campaigns.length === 0) print('No campaigns yet: `voice campaigns upload CSV` makes one.');
      else
        print(
          table([['ID', 'STATUS', 'NAME'], ...campaigns.map(({ id, status, name }) => [id, status, name])]),
        );
    },
  },
  {
    name: 'campaigns upload',
    arguments: 'CSV --agent ID --name NAME [--from NUMBER]',
    summary: 'make a draft of a CSV file',
    values: 1,
    flags: ['agent', 'name', 'from'],
    run: async (session, [path]) => {
      const { voice, print, flags, signal } = session;
      const csv = csvOf(needed(path, 'CSV'));
      const query = {
        agent_id: needed(flags.agent, '--agent'),
        campaign_name: needed(flags.name, '--name'),
        caller_id: flags.from === undefined ? undefined : await callerIdOf(session, flags.from),
      };
      const made = await voice.campaigns.upload(csv, query, { signal });
      print(JSON.stringify(made, null, 2));
    },
  },
  ...(['start', 'pause', 'cancel'] as const).map(
    (change): Command => ({
      name: `campaigns ${change}`,
      arguments: 'CAMPAIGN_ID',
      summary: `${change} a campaign`,
      values: 1,
      flags: [],
      run: async ({ voice, print, signal }, [id]) => {
        const { status } = await voice.campaigns[change](needed(id, 'CAMPAIGN_ID'), { signal });
        print(`· ${status}`);
      },
    }),
  ),
  listenCommand,
];
