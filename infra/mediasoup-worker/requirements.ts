import { existsSync } from 'node:fs';
import { runCommand, succeeds } from './command.js';
import { ObtainError } from './obtain-error.js';

interface Requirement {
  /** The Debian package that brings it. */
  readonly debianPackage: string;
  readonly isThere: () => Promise<boolean>;
}

const tool = (program: string) => () => succeeds(program, ['--version']);
const library = (module: string) => () => succeeds('pkg-config', ['--exists', module]);

/** What the worker is built with and against. */
const REQUIREMENTS: readonly Requirement[] = [
  { debianPackage: 'g++', isThere: tool('g++') },
  { debianPackage: 'ninja-build', isThere: tool('ninja') },
  { debianPackage: 'pkg-config', isThere: tool('pkg-config') },
  { debianPackage: 'python3', isThere: () => succeeds('python3', ['-c', 'import zipfile']) },
  { debianPackage: 'flatbuffers-compiler', isThere: tool('flatc') },
  {
    debianPackage: 'libflatbuffers-dev',
    isThere: async () => existsSync('/usr/include/flatbuffers/flatbuffers.h'),
  },
  { debianPackage: 'libuv1-dev', isThere: library('libuv') },
  { debianPackage: 'libssl-dev', isThere: library('openssl') },
  { debianPackage: 'libsrtp2-dev', isThere: library('libsrtp2') },
  { debianPackage: 'libabsl-dev', isThere: library('absl_flat_hash_map') },
];

/** Finds the Debian packages of what is not there. */
export async function missingPackages(
  requirements: readonly Requirement[] = REQUIREMENTS,
): Promise<string[]> {
  const checked = await Promise.all(
    requirements.map(async ({ debianPackage, isThere }) => ((await isThere()) ? undefined : debianPackage)),
  );
  return checked.filter((name) => name !== undefined);
}

/** Writes the command that a person with the right to install types. */
export const installCommand = (packages: readonly string[]): string =>
  `apt-get install -y --no-install-recommends ${packages.join(' ')}`;

export type PackagesWay = 'nothing' | 'install' | 'ask';

/** Chooses how the missing packages get there: only root may install, and only where there is apt-get. */
export function choosePackagesWay(
  missing: readonly string[],
  { isRoot, hasApt }: { readonly isRoot: boolean; readonly hasApt: boolean },
): PackagesWay {
  if (missing.length === 0) return 'nothing';
  return isRoot && hasApt ? 'install' : 'ask';
}

/** Brings what the build needs. @throws ObtainError that names the command to run where it cannot */
export async function ensurePackages(
  isRoot: boolean,
  signal: AbortSignal,
  onStep: (step: string) => void,
): Promise<void> {
  const missing = await missingPackages();
  const hasApt = await succeeds('apt-get', ['--version']);
  const command = installCommand(missing);
  switch (choosePackagesWay(missing, { isRoot, hasApt })) {
    case 'nothing':
      return;
    case 'ask':
      throw new ObtainError(
        'Packages are missing that mediasoup’s worker is built with.',
        hasApt
          ? `Run: sudo ${command}; then: npm run mediasoup`
          : `Install what these Debian packages hold (${missing.join(', ')}), then run: npm run mediasoup`,
      );
    case 'install': {
      onStep(`installing ${missing.join(', ')}`);
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      const [program, ...args] = command.split(' ') as [string, ...string[]];
      // Lists may be there already, or one source of many out of reach: the installation decides.
      await runCommand('apt-get', ['update'], { env, signal });
      const { code, tail } = await runCommand(program, args, { env, signal });
      if (code !== 0) {
        throw new ObtainError(
          `apt-get could not install what mediasoup’s worker is built with: ${tail.split('\n').slice(-3).join(' ')}`,
          `Mend what it names and run: ${command}; then: npm run mediasoup`,
        );
      }
    }
  }
}
