import { UtcDate } from '../bson/values.js';
import { MAX_DOCUMENT_BYTES } from '../storage/collection.js';
import { MAX_MESSAGE_BYTES } from '../wire/message.js';
import type { Command } from './command.js';
import { helloOfAccess } from './sasl.js';
import { MAX_WRITE_BATCH } from './statements.js';

/** The version of MongoDB whose behaviour the store follows. */
const VERSION = '7.0.0';
/** Wire version of MongoDB 7.0. */
const MAX_WIRE_VERSION = 21;

/**
 * `hello` as a standalone server says it. Without `topologyVersion` drivers poll instead of waiting for pushed
 * changes; as a standalone they send neither transaction numbers nor cluster times.
 */
export const hello: Command = ({ name, args }, { clock, connectionId, access }) => {
  args.value(name);
  args.ignore(
    'helloOk',
    'client',
    'compression',
    'loadBalanced',
    'topologyVersion',
    'maxAwaitTimeMS',
    'backpressure',
  );
  const mechanisms = args.value('saslSupportedMechs');
  const speculative = args.value('speculativeAuthenticate');
  args.ignore('hostInfo', 'internalClient');
  return {
    helloOk: true,
    [name === 'hello' ? 'isWritablePrimary' : 'ismaster']: true,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH,
    localTime: new UtcDate(clock.now()),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
    ...helloOfAccess(access, { mechanisms, speculative }),
  };
};

export const ping: Command = () => ({});

export const buildInfo: Command = () => ({
  version: VERSION,
  versionArray: VERSION.split('.').map(Number).concat(0),
  gitVersion: 'embedded-store',
  modules: [],
  sysInfo: 'embedded store over SQLite',
  bits: 64,
  debug: false,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  storageEngines: ['sqlite'],
});

export const connectionStatus: Command = (_request, { access }) => ({
  authInfo: {
    authenticatedUsers: access?.user === undefined ? [] : [{ user: access.user, db: 'admin' }],
    authenticatedUserRoles: [],
  },
});

export const endSessions: Command = () => ({});
