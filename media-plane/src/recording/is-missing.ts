import { access } from 'node:fs/promises';

/** Returns whether nothing is at the path. */
export function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
  );
}
