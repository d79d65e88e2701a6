import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, ROOT } from './install-packed.js';
import { TYPESCRIPT } from './packages.mjs';

/** What the samples take from the program around them. */
const AROUND: Readonly<Record<string, string>> = {
  voice: "import('@voice/client').Voice",
  agent_id: 'string',
  agentId: 'string',
  from_number: 'string',
  id: 'string',
  request: "import('@voice/client').CallCreate",
  play: '(pcm: Uint8Array, sampleRate: number) => void',
  microphone: "import('node:stream').Readable",
  speaker: "import('node:stream').Writable",
  receive: '(headers: Readonly<Record<string, string>>, body: string) => Promise<number>',
  express: '{ raw(options: { type: string }): () => void }',
  app: `{ post(path: string, parse: () => void, answer: (
    request: { body: Uint8Array; get(name: string): string | undefined },
    response: { sendStatus(status: number): void },
  ) => void): void }`,
};

const SAMPLES = [
  ...readFileSync(join(TYPESCRIPT, 'README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code);

/** A sample as a module of its own, with what it takes from around. */
function moduleOf(code: string): string {
  const taken = Object.entries(AROUND).filter(
    ([name]) => new RegExp(`\\b${name}\\b`).test(code) && !code.includes(`const ${name} =`),
  );
  return [...taken.map(([name, type]) => `declare const ${name}: ${type};`), code, 'export {};'].join('\n');
}

// Compiling takes seconds: `npm run test:clients` waits for it.
describe.skipIf(process.env.EACH_TEST === 'once')('the README', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'voice-readme-'));
    installPacked(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const [index, code] of SAMPLES.entries()) {
      writeFileSync(join(folder, `sample-${index}.ts`), moduleOf(code));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has samples that compile against the installed client: %s, %s', (module, moduleResolution) => {
    expect(SAMPLES.length).toBeGreaterThan(4);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const project = join(folder, `tsconfig.${moduleResolution}.json`);
    writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
