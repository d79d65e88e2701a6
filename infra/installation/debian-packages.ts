import { runCommand, succeeds } from './command.js';

export interface Requirement {
  /** The Debian package that brings it. */
  readonly debianPackage: string;
  readonly isThere: () => Promise<boolean>;
}

/** What the packages are for, in the words of its errors. */
export interface Purpose {
  /** Completes “Packages are missing that …”. */
  readonly that: string;
  /** The command that goes on when they are there. */
  readonly next: string;
}

export interface PackagesOptions {
  readonly isRoot: boolean;
  readonly signal: AbortSignal;
  /** Progress for a person to read. */
  readonly onStep: (step: string) => void;
}

/** Packages cannot be had: what is wrong and what to do about it. */
class PackagesUnavailable extends Error {
  constructor(problem: string, remedy: string) {
    super(`${problem} ${remedy}`);
    this.name = 'PackagesUnavailable';
  }
}

/** A mirror that does not answer is given up, instead of after the two minutes of each address. */
const PATIENCE = ['-o', 'Acquire::http::Timeout=15', '-o', 'Acquire::Retries=1'];
/** Another apt-get may be at work for this long, in seconds. */
const LOCK_PATIENCE = ['-o', 'DPkg::Lock::Timeout=120'];
const DOWNLOAD_LIMIT_MS = 5 * 60_000;

/** Finds the Debian packages of what is not there. */
export async function missingPackages(requirements: readonly Requirement[]): Promise<string[]> {
  const checked = await Promise.all(
    requirements.map(async ({ debianPackage, isThere }) => ((await isThere()) ? undefined : debianPackage)),
  );
  return checked.filter((name) => name !== undefined);
}

const installArguments = (packages: readonly string[]) => [
  'install',
  '-y',
  '--no-install-recommends',
  ...packages,
];

/** Writes the command that a person with the right to install types. */
export const installCommand = (packages: readonly string[]): string =>
  ['apt-get', ...installArguments(packages)].join(' ');

export type PackagesWay = 'nothing' | 'install' | 'ask';

/** Chooses how the missing packages get there: only root may install, and only where there is apt-get. */
export function choosePackagesWay(
  missing: readonly string[],
  { isRoot, hasApt }: { readonly isRoot: boolean; readonly hasApt: boolean },
): PackagesWay {
  if (missing.length === 0) return 'nothing';
  return isRoot && hasApt ? 'install' : 'ask';
}

/**
 * Brings the packages of what is not there.
 * @throws PackagesUnavailable that names the command to run where it cannot
 */
export async function ensurePackages(
  requirements: readonly Requirement[],
  { that, next }: Purpose,
  { isRoot, signal, onStep }: PackagesOptions,
): Promise<void> {
  const missing = await missingPackages(requirements);
  const hasApt = await succeeds('apt-get', ['--version']);
  switch (choosePackagesWay(missing, { isRoot, hasApt })) {
    case 'nothing':
      return;
    case 'ask':
      throw new PackagesUnavailable(
        `Packages are missing that ${that}.`,
        hasApt
          ? `Run: sudo ${installCommand(missing)}; then: ${next}`
          : `Install what these Debian packages hold (${missing.join(', ')}), then run: ${next}`,
      );
    case 'install': {
      onStep(`installing ${missing.join(', ')}`);
      const refusal = await aptGet(missing, signal);
      if (refusal === undefined) return;
      throw new PackagesUnavailable(
        `apt-get could not install what ${that}: ${refusal}`,
        `Mend what it names and run: ${installCommand(missing)}; then: ${next}`,
      );
    }
  }
}

/** Installs the packages. Gives what apt-get said last where it failed. */
async function aptGet(packages: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = installArguments(packages);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_LIMIT_MS)]);
  // Lists may be there already, or one source of many out of reach: the installation decides.
  await runCommand('apt-get', [...PATIENCE, 'update'], { env, signal: limited });
  const loaded = await runCommand('apt-get', [...PATIENCE, ...LOCK_PATIENCE, '--download-only', ...install], {
    env,
    signal: limited,
  });
  // What is loaded is installed without a limit: dpkg that is ended half-way has to be mended by hand.
  const result =
    loaded.code === 0 ? await runCommand('apt-get', [...LOCK_PATIENCE, ...install], { env, signal }) : loaded;
  if (result.code === 0) return undefined;
  if (limited.aborted && !signal.aborted) return 'the download took more than five minutes.';
  return result.tail.split('\n').slice(-3).join(' ');
}
