import { fileURLToPath } from 'node:url';

/** The project's root, with a trailing slash. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Node 22, which the lock file brings along: the machine's own may be older. */
export const NODE = `${ROOT}node_modules/node/bin/node`;

/** @param {string} path relative to the root */
export const fromRoot = (path) => `${ROOT}${path}`;

/** Builds the dashboard, which is no program of Node and has a builder of its own. */
export const DASHBOARD_BUILD = fromRoot('control-plane/dashboard/build/main.mjs');
