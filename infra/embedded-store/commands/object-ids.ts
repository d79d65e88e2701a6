import { randomBytes } from 'node:crypto';
import { ObjectId } from '../bson/values.js';

const processPart = randomBytes(5);
let counter = randomBytes(3).readUIntBE(0, 3);

/** Creates an ObjectId: seconds, five random bytes of this process, a counter. `now` in ms. */
export function newObjectId(now: number): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(now / 1000) >>> 0, 0);
  processPart.copy(bytes, 4);
  counter = (counter + 1) & 0xffffff;
  bytes.writeUIntBE(counter, 9, 3);
  return new ObjectId(bytes);
}
