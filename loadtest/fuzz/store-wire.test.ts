import { describe, expect, it } from 'vitest';
import { CommandError, codes } from '../../infra/embedded-store/errors/errors.js';
import { serveConnection } from '../../infra/embedded-store/wire/connection.js';
import { errorReply } from '../../infra/embedded-store/wire/error-reply.js';
import { parseMessage } from '../../infra/embedded-store/wire/message.js';
import type { Random } from '../system/seeded-random.js';
import { fuzzedStore, type Reply, type StoreModules } from './store-wire.js';

/** Chooses a message and damages nothing. */
const undamaged: Random = () => 0.99;

/** A store without files: only what answers is looked at. */
const target = (answer: StoreModules['answer'], changes: Partial<StoreModules> = {}) =>
  fuzzedStore('', {
    serveConnection: serveConnection as StoreModules['serveConnection'],
    parseMessage,
    answer,
    Store: class {
      databases = () => [];
      collections = () => [];
      dropCollection() {}
    },
    Cursors: class {},
    ...changes,
  });

describe('the fuzzed store', () => {
  it('holds where each command is answered or refused', () => {
    const refusal = errorReply(new CommandError(codes.BadValue, 'no')) as Reply;
    const replies: Reply[] = [{ ok: 1 }, refusal];
    const { run } = target(() => replies.shift() ?? { ok: 1 });
    for (let n = 0; n < 3; n++) expect(() => run(undamaged)).not.toThrow();
  });

  it('fails where a command throws what is no refusal, which the store answers as an internal error', () => {
    const replies = [errorReply(new TypeError('x is not a function')) as Reply];
    const { run } = target(() => replies.shift() ?? { ok: 1 });
    expect(() => run(undamaged)).toThrow(/no refusal: x is not a function/);
    expect(() => run(undamaged)).not.toThrow();
  });

  it('fails where a sound message ends its connection', () => {
    const { run } = target(() => {
      throw new TypeError('x is not a function');
    });
    expect(() => run(undamaged)).toThrow('a message that can be read ends its connection');
  });

  it('fails where a message is neither read nor refused', () => {
    const refusing = (error: Error) =>
      target(() => ({ ok: 1 }), {
        parseMessage: () => {
          throw error;
        },
      });
    const { run } = refusing(new RangeError('out of range'));
    expect(() => run(undamaged)).toThrow('out of range');
    const { run: refused } = refusing(new CommandError(codes.ProtocolError, 'malformed'));
    expect(() => refused(undamaged)).not.toThrow();
  });
});
