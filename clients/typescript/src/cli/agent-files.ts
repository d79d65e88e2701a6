import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMap, parse, parseDocument, stringify, type YAMLMap } from 'yaml';
import { VoiceError } from '../errors.js';
import type { AgentCreate, AgentResponse } from '../generated/types.js';

/** What the service says of an agent and nobody sets. */
const GIVEN_BY_THE_SERVICE = new Set([
  'id',
  'version',
  'created_at',
  'updated_at',
  'experimental',
  'warnings',
  'tenant_id',
]);

/** An agent as a file in git: `id` says which it is; without one, a push creates it. */
export interface AgentFile {
  readonly path: string;
  readonly id: string | undefined;
  readonly settings: AgentCreate;
}

const STYLE = { lineWidth: 100 };

type Values = Readonly<Record<string, unknown>>;

/** What a file says of an agent: its id, and all that can be set. */
function contentOf(agent: AgentResponse): Record<string, unknown> {
  const settings = Object.entries(agent).filter(([name]) => !GIVEN_BY_THE_SERVICE.has(name));
  return { id: agent.id, ...Object.fromEntries(settings) };
}

/** Returns what a file of this text becomes, so that comments stay, and lines whose values are the same. */
function updatedYaml(text: string, content: Values): string {
  const document = parseDocument(text);
  if (!isMap(document.contents)) return stringify(content, STYLE);
  return updateMap(document.contents, document.toJS(), content) ? document.toString(STYLE) : text;
}

/** Makes a map, which says what `now` does, say what `values` do; returns whether these differ. */
function updateMap(map: YAMLMap, now: Values, values: Values): boolean {
  let changed = false;
  for (const name of Object.keys(now))
    if (!Object.hasOwn(values, name)) changed = map.delete(name) || changed;
  for (const [name, value] of Object.entries(values)) {
    const node = map.get(name);
    const before = now[name];
    if (isMap(node) && isObject(before) && isObject(value)) {
      changed = updateMap(node, before, value) || changed;
    } else if (!isDeepStrictEqual(before, value)) {
      map.set(name, value);
      changed = true;
    }
  }
  return changed;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the agents of a folder. Throws a `VoiceError` that names the file which cannot be read. */
export function readAgentFiles(folder: string): AgentFile[] {
  if (!existsSync(folder)) {
    throw new VoiceError(`There is no folder ${folder}: \`voice agents pull\` makes it.`);
  }
  const files = readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => readAgentFile(join(folder, name)));
  const paths = new Map<string, string>();
  for (const { id, path } of files) {
    const other = id === undefined ? undefined : paths.get(id);
    if (other !== undefined) {
      throw new VoiceError(
        `${other} and ${path} have the same id: delete the line \`id\` of the one that shall be a new agent.`,
      );
    }
    if (id !== undefined) paths.set(id, path);
  }
  return files;
}

function readAgentFile(path: string): AgentFile {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new VoiceError(`${path} is no YAML: ${(error as Error).message}`, { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new VoiceError(`${path} has no agent in it.`);
  }
  const { id, ...settings } = content as Record<string, unknown>;
  if (id !== undefined && (typeof id !== 'string' || id === '')) {
    throw new VoiceError(`${path}: id must be that of an agent; without the line, a push makes a new one.`);
  }
  return { path, id, settings: settings as unknown as AgentCreate };
}

/**
 * Writes agents into a folder, each into the file that has its id already, else into one named for it. Returns the
 * paths of files that changed.
 */
export function writeAgentFiles(folder: string, agents: readonly AgentResponse[]): string[] {
  mkdirSync(folder, { recursive: true });
  const known = new Map(readAgentFiles(folder).map((file) => [file.id, file.path]));
  const taken = new Set(known.values());
  const changed: string[] = [];
  for (const agent of agents) {
    const path = known.get(agent.id) ?? freePath(folder, agent, taken);
    taken.add(path);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const text = updatedYaml(before, contentOf(agent));
    if (before === text) continue;
    writeFileSync(path, text);
    changed.push(path);
  }
  return changed;
}

/** Gives a new file's text the id of the agent that was made of it. */
export function keepId(file: AgentFile, id: string): void {
  const document = parseDocument(readFileSync(file.path, 'utf8'));
  if (!isMap(document.contents)) throw new VoiceError(`${file.path} has no agent in it: its id is ${id}.`);
  document.contents.items.unshift(document.createPair('id', id));
  writeFileSync(file.path, document.toString(STYLE));
}

function freePath(folder: string, agent: AgentResponse, taken: ReadonlySet<string>): string {
  const name = agent.name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const path = join(folder, `${name || agent.id}.yaml`);
  return taken.has(path) || existsSync(path) ? join(folder, `${name}-${agent.id}.yaml`) : path;
}

/** Returns the names of settings whose value differs from the service's; a setting that the file has not stays. */
export function differences(file: AgentFile, agent: AgentResponse): string[] {
  const now = agent as unknown as Record<string, unknown>;
  return Object.entries(file.settings)
    .filter(([name, value]) => !GIVEN_BY_THE_SERVICE.has(name) && !same(value, now[name]))
    .map(([name]) => name);
}

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, index) => same(value, b[index]));
  }
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    // What the file leaves out is the service's default.
    return Object.entries(a).every(([name, value]) => same(value, (b as Record<string, unknown>)[name]));
  }
  return a === b;
}
