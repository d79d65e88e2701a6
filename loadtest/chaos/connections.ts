import { spawnSync } from 'node:child_process';

/** Whether connections can be cut here: it takes root and a kernel that destroys sockets. */
function canCutConnections(): boolean {
  // Of a port that nobody has: nothing is cut, and what is missing is said.
  return cutConnections(1);
}

/** Resets every TCP connection to and from a port of this machine; false where that cannot be done. */
export function cutConnections(port: number): boolean {
  const filter = `( sport = :${port} or dport = :${port} )`;
  const { status, stderr } = spawnSync('ss', ['-K', '-t', 'state', 'connected', filter], {
    encoding: 'utf8',
  });
  return status === 0 && !/not permitted|not supported/i.test(stderr ?? '');
}
