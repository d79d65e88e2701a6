import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Voice } from '../../typescript/src/client.js';
import { Resource } from '../../typescript/src/resource.js';

/** Prints the public methods as `resource.method`, one a line. */
const METHODS = `
from voice_agents import Voice
for name, resource in vars(Voice("sk_test_1")).items():
    for method in dir(resource):
        if not method.startswith("_") and callable(getattr(resource, method)): print(f"{name}.{method}")
`;
/** Stands in clients/README.md. */
const OF_TYPESCRIPT_ALONE = ['webhooks.listen'];
/** `import` is a word of Python's own. */
const SPELT_OTHERWISE: Readonly<Record<string, string>> = {
  'do_not_call.import': 'do_not_call.import_csv',
  'phone_numbers.import': 'phone_numbers.import_',
};

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** Types with unpacked keyword arguments came with it. */
const OLDEST = 11;

/** Whether there is a Python that can run the client; says aloud when there is none. */
function hasPython(): boolean {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.version_info[1])'], {
    encoding: 'utf8',
  });
  if (Number(stdout) >= OLDEST) return true;
  console.warn(`!!! no python3 of at least 3.${OLDEST}: the tests of the Python client are SKIPPED`);
  return false;
}

/** Of the class and what it extends, without those that all resources stand on. */
function methodsOf(resource: object): string[] {
  const prototype: object = Object.getPrototypeOf(resource);
  if (prototype === Resource.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...new Set([...own, ...methodsOf(prototype)])];
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe.runIf(hasPython())('the Python client', () => {
  it('passes its own tests', () => {
    const { status, stderr } = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/Ran [1-9]\d* tests/);
  });

  it('has the methods of the TypeScript client, in its spelling', () => {
    const { stdout } = spawnSync('python3', ['-c', METHODS], { cwd: FOLDER, encoding: 'utf8' });
    const own = stdout.trim().split('\n');
    const theirs = Object.entries(new Voice({ apiKey: 'sk_test_1' }))
      .flatMap(([resource, methods]) => methodsOf(methods).map((name) => snake(`${resource}.${name}`)))
      .map((name) => SPELT_OTHERWISE[name] ?? name);
    expect(own.length).toBeGreaterThan(100);
    expect(theirs.filter((name) => !own.includes(name))).toEqual(OF_TYPESCRIPT_ALONE);
    expect(own.filter((name) => !theirs.includes(name))).toEqual([]);
  });
});
