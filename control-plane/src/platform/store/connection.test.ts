import mongoose, { type Connection } from 'mongoose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectStore } from './connection.js';

const URI = 'mongodb://127.0.0.1:1/none';

class NamedError extends Error {
  constructor(name: string) {
    super(`${name} of the driver`);
    this.name = name;
  }
}

/** The driver's connection that fails with the errors in turn, and then is there. */
function connections(...errors: readonly Error[]) {
  const left = [...errors];
  const there = {} as Connection;
  const asPromise = async () => {
    const error = left.shift();
    if (error) throw error;
    return there;
  };
  const created = vi
    .spyOn(mongoose, 'createConnection')
    .mockImplementation((() => ({ asPromise })) as unknown as typeof mongoose.createConnection);
  return { there, created };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the first connection to the store', () => {
  it.each([
    'MongoNetworkTimeoutError',
    'MongoServerSelectionError',
    'MongooseServerSelectionError',
    'MongoPoolClearedError',
    'MongoWaitQueueTimeoutError',
  ])('is tried again after a %s', async (name) => {
    const { there, created } = connections(new NamedError(name), new NamedError(name));
    expect(await connectStore(URI)).toBe(there);
    expect(created).toHaveBeenCalledTimes(3);
  });

  it('is given up after four tries', async () => {
    const errors = Array.from({ length: 9 }, () => new NamedError('MongoWaitQueueTimeoutError'));
    const { created } = connections(...errors);
    await expect(connectStore(URI)).rejects.toThrow('MongoWaitQueueTimeoutError');
    expect(created).toHaveBeenCalledTimes(4);
  });

  it('is not tried again where the same would fail the next time', async () => {
    const { created } = connections(new NamedError('MongoServerError'));
    await expect(connectStore(URI)).rejects.toThrow('MongoServerError');
    expect(created).toHaveBeenCalledTimes(1);
  });
});
