import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, ROOT } from './install-packed.js';
import {
  buildWheel,
  PYTHON,
  publishedVersions,
  staleOutputs,
  TYPESCRIPT,
  versionProblems,
} from './packages.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voice-publish-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function output(command: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

describe('the versions of the client libraries', () => {
  it('are one, with the major version of the API', () => {
    expect(versionProblems(publishedVersions())).toEqual([]);
  });

  it.each([
    ['another in Python', { typescript: '1.2.0', python: '1.1.0', api: ['1'] }, /go together/],
    ['another major version', { typescript: '2.0.0', python: '2.0.0', api: ['1'] }, /the API is v1/],
    ['two of the API', { typescript: '1.0.0', python: '1.0.0', api: ['1', '2'] }, /the API is v1, v2/],
  ])('are refused: %s', (_what, versions, problem) => {
    expect(versionProblems(versions)).toEqual([expect.stringMatching(problem)]);
  });
});

/** Runs a program whose output nobody reads, as behind `head`. */
async function unread(args: readonly string[]) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  return { code, errors };
}

describe('the package for npm', () => {
  it('is what an installed one needs: library, types, command, licence', async () => {
    const { installed, paths } = installPacked(folder);
    expect(paths).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.d.ts', 'dist/index.js']),
    );
    expect(paths.filter((path: string) => /\.test\.|tsbuildinfo|tsconfig/.test(path))).toEqual([]);

    const program =
      "import('@voice/client').then(({ Voice, verifyWebhook }) => console.log(Voice.name, verifyWebhook.name))";
    expect(output(process.execPath, ['-e', program])).toBe('Voice verifyWebhook\n');
    const command = join(installed, 'bin/voice.mjs');
    expect(output(process.execPath, [command, '--help'])).toContain('voice webhooks listen');
    expect(output(process.execPath, [command, '--version'])).toBe(`${publishedVersions().typescript}\n`);
    expect(await unread([command, '--help'])).toEqual({ code: 0, errors: '' });
    // Types that need packages for development would not resolve.
    const types = paths.filter((path: string) => path.endsWith('.d.ts'));
    for (const path of types)
      expect(readFileSync(join(installed, path), 'utf8')).not.toMatch(/from '(ws|yaml)'/);
  });

  it('leaves out what was built of sources that are gone', () => {
    expect(staleOutputs(['dist/a.js', 'dist/cli/b.js'], ['src/a.ts'])).toEqual(['dist/cli/b.js']);
  });
});

it.each([TYPESCRIPT, PYTHON])('%s has the licence of the project', (path) => {
  expect(readFileSync(join(path, 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
});

/** Builds the wheel; says aloud when there is nothing here to build it with. */
function wheelOrNothing(): string | undefined {
  try {
    return buildWheel(folder);
  } catch (error) {
    if (!/ENOENT|No module named pip|Could not find a version/.test(String(error))) throw error;
    console.warn('!!! no python3 with pip, or no package index: the wheel of the Python client is SKIPPED');
    return undefined;
  }
}

// `npm test` needs no network, and building takes seconds: `npm run test:clients` builds it.
it.skipIf(process.env.EACH_TEST === 'once')(
  'the wheel for PyPI has library, types and licence, and needs nothing else',
  ({ skip }) => {
    const wheel = wheelOrNothing();
    if (wheel === undefined) return skip();
    const program = `
import sys, zipfile
wheel = sys.argv[1]
archive = zipfile.ZipFile(wheel)
names = archive.namelist()
print(sorted(name for name in names if name.endswith(("py.typed", "LICENSE")) or name.startswith("tests")))
metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
print([line for line in metadata.split("\\n") if line.startswith(("Version:", "Requires-Dist:"))])
sys.path.insert(0, wheel)
import voice_agents
print(voice_agents.Voice.__name__, voice_agents.__file__.startswith(wheel))
`;
    const { python } = publishedVersions();
    expect(output('python3', ['-I', '-c', program, wheel]).split('\n')).toEqual([
      `['voice_agents-${python}.dist-info/licenses/LICENSE', 'voice_agents/py.typed']`,
      `['Version: ${python}']`,
      'Voice True',
      '',
    ]);
  },
);
