import type { Encodable, EncodableDocument } from '../bson/encode.js';
import { Double, isDoc, isNumber } from '../bson/values.js';
import { toDouble } from '../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import type { Checkpoint } from '../planning/scan.js';
import { errorReply } from '../wire/error-reply.js';
import type { CommandMessage } from '../wire/message.js';
import { aggregate, distinct } from './aggregate.js';
import { Arguments } from './arguments.js';
import {
  create,
  createIndexes,
  drop,
  dropDatabase,
  dropIndexes,
  listCollections,
  listDatabases,
  listIndexes,
} from './catalog.js';
import type { Command, CommandContext } from './command.js';
import { count } from './count.js';
import { explain } from './explain.js';
import { find, getMore, killCursors } from './find.js';
import { findAndModify } from './find-and-modify.js';
import { buildInfo, connectionStatus, endSessions, hello, ping } from './handshake.js';
import { saslContinue, saslStart } from './sasl.js';
import { insert, remove, update } from './write.js';

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['hello', hello],
  ['isMaster', hello],
  ['ismaster', hello],
  ['ping', ping],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['connectionStatus', connectionStatus],
  ['endSessions', endSessions],
  ['saslStart', saslStart],
  ['saslContinue', saslContinue],
  ['find', find],
  ['explain', explain],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['insert', insert],
  ['update', update],
  ['delete', remove],
  ['findAndModify', findAndModify],
  ['findandmodify', findAndModify],
  ['aggregate', aggregate],
  ['count', count],
  ['distinct', distinct],
  ['create', create],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['listDatabases', listDatabases],
  ['listCollections', listCollections],
  ['createIndexes', createIndexes],
  ['listIndexes', listIndexes],
  ['dropIndexes', dropIndexes],
  ['deleteIndexes', dropIndexes],
]);

/** Runs the command of a message and gives its reply; a failure becomes an error reply. */
export function answer(message: CommandMessage, context: CommandContext): EncodableDocument {
  try {
    return { ...run(message, context), ok: new Double(1) };
  } catch (error) {
    return errorReply(error);
  }
}

function run(message: CommandMessage, context: CommandContext): { [name: string]: Encodable } {
  const { body } = message;
  const name = body.keys().next().value ?? '';
  if (context.access?.allows(name) === false) {
    throw new CommandError(codes.Unauthorized, `Command ${name} requires authentication`);
  }
  const command = COMMANDS.get(name);
  if (command === undefined) throw new CommandError(codes.CommandNotFound, `no such command: '${name}'`);
  refuseTransactions(message);
  refuseReadConcern(message);
  const named = body.get('$db');
  const database = typeof named === 'string' ? named : message.database;
  if (database === undefined) throw new CommandError(40571, 'OP_MSG requests require a $db argument');
  const request = {
    name,
    database,
    args: new Arguments(name, body),
    sequences: message.sequences,
    checkpoint: deadline(message, context),
  };
  return command(request, context) as { [name: string]: Encodable };
}

/** Transactions and retryable writes belong to replica sets; a standalone's clients do not ask for them. */
function refuseTransactions({ body }: CommandMessage): void {
  for (const field of ['startTransaction', 'autocommit', 'txnNumber']) {
    if (body.has(field)) {
      throw notSupported(`a transaction (${field})`, codes.OperationNotSupportedInTransaction);
    }
  }
}

/** Refuses points in time and linearizability; with one server, what is committed is what everyone reads. */
function refuseReadConcern({ body }: CommandMessage): void {
  const concern = body.get('readConcern');
  const level = isDoc(concern) ? concern.get('level') : undefined;
  if (level !== undefined && level !== 'local' && level !== 'majority' && level !== 'available') {
    throw notSupported(`the read concern '${String(level)}'`, codes.InvalidOptions);
  }
}

function deadline({ body }: CommandMessage, { clock }: CommandContext): Checkpoint {
  const limit = body.get('maxTimeMS');
  if (!isNumber(limit) || toDouble(limit) === 0) return () => undefined;
  const end = clock.monotonic() + toDouble(limit);
  return () => {
    if (clock.monotonic() > end)
      throw new CommandError(codes.MaxTimeMSExpired, 'operation exceeded time limit');
  };
}
