import { spawnSync } from 'node:child_process';

/** Resets every TCP connection to and from a port of this machine; false where that cannot be done. */
export function cutConnections(port: number): boolean {
  const filter = `( sport = :${port} or dport = :${port} )`;
  const { status, stderr } = spawnSync('ss', ['-K', '-t', 'state', 'connected', filter], {
    encoding: 'utf8',
  });
  return status === 0 && !/not permitted|not supported/i.test(stderr ?? '');
}
