import { VoiceError } from '../errors.js';
import type { Flags } from './flags.js';
import { commandsOf } from './help.js';

/** What of a command says which words and flags it takes. */
export interface Shape {
  readonly name: string;
  /** How many stand behind its name at most. */
  readonly values: number;
  readonly flags: readonly (keyof Flags)[];
}

export interface Chosen<Kind extends Shape> {
  readonly command: Kind;
  /** What stands behind its name. */
  readonly values: readonly string[];
}

/** Returns the command that is meant. Throws a `VoiceError` for one that there is not, and for what it would ignore. */
export function choose<Kind extends Shape>(
  commands: readonly Kind[],
  words: readonly string[],
  flags: Flags,
): Chosen<Kind> {
  const command = commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (command === undefined) throw new VoiceError(unknown(commands, words));
  const values = words.slice(command.name.split(' ').length);
  const help = `\`voice ${command.name} --help\` shows what it takes.`;
  if (values.length > command.values) {
    throw new VoiceError(`voice ${command.name} takes no '${values[command.values]}'; ${help}`);
  }
  const other = (Object.keys(flags) as (keyof Flags)[]).find((name) => !command.flags.includes(name));
  if (other !== undefined) throw new VoiceError(`voice ${command.name} takes no --${other}; ${help}`);
  return { command, values };
}

function unknown(commands: readonly Shape[], words: readonly string[]): string {
  const group = commandsOf(commands, words.slice(0, 1)).map(({ name }) => `voice ${name}`);
  return group.length > 0
    ? `Say which: ${group.join(', ')}.`
    : `There is no command ${words.join(' ')}; \`voice --help\` shows those that are.`;
}
