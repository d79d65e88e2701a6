import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one user of an embedded store. */
export const STORE_USER = 'voice';

/** Locates the password of the embedded store that keeps its data in this directory. */
export const passwordPath = (dataDir: string): string => join(dataDir, 'password');

/**
 * Reads that password; undefined while the store has made none.
 * @throws the system's error when the file is there and cannot be read
 */
export function readPassword(dataDir: string): string | undefined {
  try {
    return readFileSync(passwordPath(dataDir), 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/**
 * Locates the Unix socket of the embedded store that keeps its data in this directory: a command takes a fifth less
 * time over it than over TCP. The file is there while a store listens on it; drivers know a socket by this ending.
 */
export const socketPath = (dataDir: string): string => join(dataDir, 'store.sock');

/** Where an embedded store is on this machine: by its TCP port on loopback, or by its Unix socket. */
export type StorePlace = { readonly port: number } | { readonly socket: string };

/** Builds the connection string of an embedded store, for any MongoDB client. */
export function storeUri(
  options: StorePlace & { readonly password: string; readonly database: string },
): string {
  const host = 'socket' in options ? encodeURIComponent(options.socket) : `127.0.0.1:${options.port}`;
  return `mongodb://${STORE_USER}:${encodeURIComponent(options.password)}@${host}/${options.database}`;
}

/**
 * Builds the connection string of an embedded store that runs, with the password that it keeps in its directory: by
 * its Unix socket where it has one.
 * @throws Error when there is no password: no store has started there
 */
export function runningStoreUri(options: {
  readonly port: number;
  readonly dataDir: string;
  readonly database: string;
}): string {
  const { port, dataDir, database } = options;
  const password = readPassword(dataDir);
  if (password === undefined)
    throw new Error(`No embedded store has started in ${dataDir}: it has no password.`);
  const socket = socketPath(dataDir);
  return storeUri({ ...(existsSync(socket) ? { socket } : { port }), password, database });
}
