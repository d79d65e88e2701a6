import { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { stringFields } from './string-fields.js';

const encoded = (document: object) => Buffer.from(mongo.BSON.serialize(document));

describe('strings of a BSON document', () => {
  it('reads names and values as they were written, in their order', () => {
    const document = {
      '1604': 'Vancouver, BC',
      '1': 'America/New_York&America/Chicago',
      '1418': 'Québec',
      x: '',
    };
    expect(stringFields(encoded(document))).toEqual(
      Object.entries(mongo.BSON.deserialize(encoded(document))),
    );
  });

  it('reads an empty document', () => {
    expect(stringFields(encoded({}))).toEqual([]);
  });

  it.each([
    ['holds a number', encoded({ '1': 'Canada', '2': 7 })],
    ['holds another document', encoded({ '1': { '2': 'Canada' } })],
    ['is cut off', encoded({ '1': 'Canada' }).subarray(0, -3)],
    ['is longer than it says', Buffer.concat([encoded({ '1': 'Canada' }), Buffer.alloc(1)])],
    ['has a string longer than itself', lengthened()],
  ])('refuses a document that %s', (_what, bytes) => {
    expect(() => stringFields(bytes)).toThrow(/no string|no BSON|does not end/);
  });
});

/** A document whose only string says that it goes on for a thousand bytes. */
function lengthened(): Buffer {
  const bytes = encoded({ '1': 'Canada' });
  bytes.writeInt32LE(1000, 4 + 1 + '1'.length + 1);
  return bytes;
}
