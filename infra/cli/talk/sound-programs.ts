import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Hz, of 16-bit mono samples: what recognisers hear best, and any sound card does. */
export const TALK_RATE = 16_000;
export const TALK_BYTES_PER_MS = (TALK_RATE * 2) / 1000;

interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** A program that writes the microphone to standard output, and one that plays standard input, raw both. */
export interface SoundPrograms {
  readonly record: Program;
  readonly play: Program;
}

const ALSA = ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', String(TALK_RATE), '-c', '1'];
/** Short periods: the default of half a second would be heard as slowness of the agent. */
const ALSA_SHORT = ['--buffer-time=100000', '--period-time=20000'];
const SOX = [
  '-q',
  '-t',
  'raw',
  '-e',
  'signed-integer',
  '-b',
  '16',
  '-L',
  '-r',
  String(TALK_RATE),
  '-c',
  '1',
  '-',
];

const KNOWN: readonly SoundPrograms[] = [
  {
    record: { command: 'arecord', args: [...ALSA, ...ALSA_SHORT] },
    play: { command: 'aplay', args: [...ALSA, ...ALSA_SHORT] },
  },
  {
    record: { command: 'rec', args: ['--buffer', '1280', ...SOX] },
    play: { command: 'play', args: ['--buffer', '1280', ...SOX] },
  },
];

/** Finds the first pair of programs that the search path has; undefined where there is none. */
export function findSoundPrograms(searchPath: string): SoundPrograms | undefined {
  const has = (command: string) =>
    searchPath
      .split(delimiter)
      .some((directory) => directory !== '' && isExecutable(join(directory, command)));
  return KNOWN.find(({ record, play }) => has(record.command) && has(play.command));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts one of the programs; `onFailed` gets what it said when it ends by itself with an error. */
export function startSoundProgram(
  { command, args }: Program,
  onFailed: (message: string) => void,
): ChildProcess & { readonly stop: () => void } {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  let stopped = false;
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-500);
  });
  child.on('error', (error) => onFailed(`${command}: ${error.message}`));
  child.on('exit', (code) => {
    if (!stopped && code !== 0) onFailed(`${command} ended with ${code}: ${said.trim()}`);
  });
  // A program that is gone has closed its pipe.
  child.stdin.on('error', () => {});
  const stop = () => {
    stopped = true;
    child.kill('SIGTERM');
  };
  return Object.assign(child, { stop });
}
