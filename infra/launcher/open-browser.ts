import { spawn } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/** Returns the program that opens an address; undefined where there is none. `path`: as `PATH` has it. */
export function findOpener(platform: NodeJS.Platform, path: string): string | undefined {
  const name = OPENERS[platform];
  if (name === undefined) return undefined;
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens a link that signs in. Others on the machine see the arguments of programs: the browser is given a page that
 * only its own user can read, and which leads to the link.
 */
export function openLink(opener: string, dataDir: string, link: string): void {
  const page = join(dataDir, 'open-dashboard.html');
  writeFileSync(page, pageTo(link), { mode: 0o600 });
  const child = spawn(opener, [page], { stdio: 'ignore', detached: true });
  // The link stands in the terminal as well.
  child.on('error', () => {});
  child.unref();
}

/** Writes a page that leads to an address of ours. */
export function pageTo(link: string): string {
  const { href } = new URL(link);
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>Voice agents</title>
<p><a href="${href}">Open the dashboard</a></p>
`;
}
