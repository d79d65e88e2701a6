import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { ConfigurationError } from '@voice/shared/environment/environment';
import { PortTaken, type RunningEmulator } from './http-server.js';

interface ProgramOption {
  /** What it is for, with its unit. */
  readonly help: string;
  readonly default: string;
}

interface Program<Name extends string> {
  readonly name: string;
  readonly options: Readonly<Record<Name, ProgramOption>>;
  start(values: Readonly<Record<Name, string>>): Promise<RunningEmulator>;
}

/** Runs an emulator as a process: flags, readiness, a clean stop, one plain line when it cannot start. */
export async function runProgram<Name extends string>(program: Program<Name>): Promise<void> {
  try {
    const values = parse(program);
    if (values === 'help') {
      process.stdout.write(help(program));
      return;
    }
    const emulator = await program.start(values);
    process.stdout.write(`${program.name} emulator on ${emulator.url}\n`);
    stopWhenAsked(emulator);
    process.send?.({ type: 'ready', port: emulator.port });
  } catch (error) {
    const expected = error instanceof ConfigurationError || error instanceof PortTaken;
    process.stderr.write(`${program.name} emulator: ${expected ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function parse<Name extends string>(program: Program<Name>): Record<Name, string> | 'help' {
  const names = Object.keys(program.options) as Name[];
  const config: ParseArgsOptionsConfig = { help: { type: 'boolean' } };
  for (const name of names) config[name] = { type: 'string' };
  let given: Record<string, unknown>;
  try {
    given = parseArgs({ options: config }).values;
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error));
  }
  if (given.help) return 'help';
  const values = names.map((name) => [name, String(given[name] ?? program.options[name].default)]);
  return Object.fromEntries(values) as Record<Name, string>;
}

function help<Name extends string>({ name, options }: Program<Name>): string {
  const lines = Object.entries<ProgramOption>(options).map(([option, { help: text, default: value }]) => {
    return `  --${option.padEnd(24)} ${text}${value === '' ? '' : ` (${value})`}`;
  });
  return `Emulates ${name} on loopback.\n\n${lines.join('\n')}\n  --${'help'.padEnd(24)} this page\n`;
}

function stopWhenAsked(emulator: RunningEmulator): void {
  const stop = () => {
    void emulator.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
}
