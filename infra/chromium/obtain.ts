import { existsSync } from 'node:fs';
import { ensurePackages, type PackagesOptions } from '../installation/debian-packages.js';
import type { ChromiumConfig } from './config.js';

const PURPOSE = { that: 'the dashboard is tested in', next: 'npm test' };

/**
 * Brings Debian's Chromium where no browser is.
 * @returns its path
 * @throws PackagesUnavailable, or an error that says what to do
 */
export async function obtainChromium(
  { path, isGiven, isRoot }: ChromiumConfig,
  options: Omit<PackagesOptions, 'isRoot'>,
): Promise<string> {
  if (isGiven && !existsSync(path)) {
    throw new Error(`There is no ${path}. Correct CHROMIUM, or unset it to have Debian’s installed.`);
  }
  const browser = { debianPackage: 'chromium-headless-shell', isThere: async () => existsSync(path) };
  await ensurePackages([browser], PURPOSE, { isRoot, ...options });
  if (!existsSync(path)) throw new Error(`apt-get installed a package without ${path}. Set CHROMIUM.`);
  return path;
}
