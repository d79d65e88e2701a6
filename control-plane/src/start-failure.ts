import { ConfigurationError } from '@voice/shared/environment/environment';
import type { Config } from './config.js';
import { UnfitStoreError } from './platform/store/unfit-store-error.js';

/** What Node says of an address that it cannot listen on. */
interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}

function isErrnoException(error: unknown): error is ListenError {
  return error instanceof Error && 'code' in error;
}

/** Returns what an operator needs to read when the process cannot start. */
export function startFailure(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigurationError || error instanceof UnfitStoreError) return error.message;
  const refused = config && isErrnoException(error) && error.syscall === 'listen' ? error : undefined;
  const isInternal = refused?.port !== undefined && refused.port !== config?.port;
  const [portName, hostName] = isInternal ? ['INTERNAL_PORT', 'INTERNAL_HOST'] : ['PORT', 'HOST'];
  switch (refused?.code) {
    case 'EADDRINUSE':
      return `port ${refused.port} is taken by another program: set ${portName} to a free one`;
    case 'EACCES':
      return `port ${refused.port} may not be opened by this user: set ${portName} to one above 1023`;
    case 'EADDRNOTAVAIL':
      return `${refused.address} is no address of this machine: set ${hostName} to one that is, or to 0.0.0.0 for all`;
  }
  if (error instanceof Error && /^Mongo/.test(error.name)) {
    return `the store does not answer: check MONGODB_URI (${error.message})`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
