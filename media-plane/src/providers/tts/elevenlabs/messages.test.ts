import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseServerMessage, serverMessage } from './messages.js';

const text = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(null, 4));
const flag = fc.constantFrom(true, false, null, 'true');
const chars = fc.array(fc.oneof({ weight: 9, arbitrary: fc.string({ maxLength: 1 }) }, fc.constant(null)), {
  maxLength: 3,
});
const times = fc.array(
  fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 500 }) }, fc.constantFrom('0', null, 0.5)),
  {
    maxLength: 3,
  },
);
const durations = fc.record({ charDurationsMs: times, charsDurationsMs: times }, { requiredKeys: [] });
const alignment = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.record({ chars, charStartTimesMs: times }), durations)
      .map(([a, b]) => ({ ...a, ...b })),
  },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(fc.string({ maxLength: 1 }), fc.nat(), fc.nat()), { maxLength: 4 })
      .map((all) => ({
        chars: all.map(([char]) => char),
        charStartTimesMs: all.map(([, start]) => start),
        charDurationsMs: all.map(([, , length]) => length),
      })),
  },
  fc.constantFrom(null, 'a', [], {}),
);
const message = fc.record(
  {
    contextId: text,
    audio: text,
    isFinal: flag,
    is_final: flag,
    alignment,
    normalizedAlignment: alignment,
    error: text,
    message: text,
    code: fc.constantFrom(1008, null, '4'),
  },
  { requiredKeys: [] },
);
const sent = fc.oneof({ weight: 20, arbitrary: message }, fc.constantFrom(null, 5, 'text', [], [{}]));

describe('a message of the service', () => {
  it('means what the schema says, also where the schema is not asked', () => {
    fc.assert(
      fc.property(sent, (value) => {
        const bySchema = serverMessage.safeParse(value);
        expect(parseServerMessage(JSON.stringify(value))).toEqual(
          bySchema.success ? bySchema.data : undefined,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('may not have a number in its times that JSON cannot hold', () => {
    const json = '{"alignment":{"chars":["a"],"charStartTimesMs":[1e999],"charDurationsMs":[1]}}';
    expect(parseServerMessage(json)).toBeUndefined();
  });
});
