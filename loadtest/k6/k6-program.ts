import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const K6_MISSING = `k6 is not to be found in PATH or ~/go/bin. Get it by
  go install go.k6.io/k6@latest
with Go 1.26 or newer (about 4 minutes on 2 cores; it lands in ~/go/bin), or from https://k6.io, and run the same
command again.`;

export interface Places {
  /** `PATH` */
  readonly path: string | undefined;
  /** `HOME` */
  readonly home: string | undefined;
}

/** Finds k6; undefined where it is nowhere. */
export function findK6({ path = '', home = '' }: Places): string | undefined {
  const folders = [...path.split(delimiter).filter(Boolean), ...(home ? [join(home, 'go/bin')] : [])];
  return folders.map((folder) => join(folder, 'k6')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
