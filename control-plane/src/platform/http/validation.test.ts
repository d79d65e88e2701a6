import { uuid } from '@voice/shared/contracts/primitives';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { validationDetails } from './validation.js';

const schema = z.strictObject({
  id: uuid.optional(),
  mode: z.enum(['sms', 'voice']),
  tool: z.discriminatedUnion('type', [z.strictObject({ type: z.literal('end') })]).optional(),
  types: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(['started', 'ended'])))
    .optional(),
  variables: z.record(z.string().regex(/^\w+$/, 'letters, digits and underscores'), z.string()).optional(),
});

/** The mistakes that a client gets for such a body. */
function mistakesOf(body: object) {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : validationDetails('body', body, parsed.error);
}

describe('an HTTPValidationError says where and what', () => {
  it('a choice that is left out is missing, as every other field is', () => {
    expect(mistakesOf({})).toEqual([{ loc: ['body', 'mode'], msg: 'Field required', type: 'missing' }]);
    expect(mistakesOf({ mode: 'sms', tool: {} })).toEqual([
      { loc: ['body', 'tool', 'type'], msg: 'Field required', type: 'missing' },
    ]);
  });

  it('a choice that is none of the offered ones stays a wrong value, also null', () => {
    expect(mistakesOf({ mode: 'fax' })).toMatchObject([{ loc: ['body', 'mode'], type: 'invalid_value' }]);
    expect(mistakesOf({ mode: null })).toMatchObject([{ loc: ['body', 'mode'], type: 'invalid_value' }]);
  });

  it('of a text that is read as a list, what is none of the offered ones is a wrong value, not a missing one', () => {
    expect(mistakesOf({ mode: 'sms', types: 'started,bogus' })).toEqual([
      {
        loc: ['body', 'types', 1],
        msg: 'Invalid option: expected one of "started"|"ended"',
        type: 'invalid_value',
      },
    ]);
  });

  // @rule 7.6
  it('every field that is not known is named in its own place', () => {
    expect(mistakesOf({ mode: 'sms', mod: 1, tool: { type: 'end', x: 1 }, y: 2 })).toEqual([
      { loc: ['body', 'tool', 'x'], msg: 'Unknown field', type: 'unrecognized_keys' },
      { loc: ['body', 'mod'], msg: 'Unknown field', type: 'unrecognized_keys' },
      { loc: ['body', 'y'], msg: 'Unknown field', type: 'unrecognized_keys' },
    ]);
  });

  it('a name that a map does not take is reported by its rule', () => {
    expect(mistakesOf({ mode: 'sms', variables: { 'first name': 'x' } })).toEqual([
      {
        loc: ['body', 'variables', 'first name'],
        msg: 'letters, digits and underscores',
        type: 'invalid_key',
      },
    ]);
  });

  it('no more than 1000 mistakes are listed', () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field_${i}`, i]));
    expect(mistakesOf(body)).toHaveLength(1000);
  });

  it('an id is reported to need a UUID', () => {
    expect(mistakesOf({ mode: 'sms', id: 'x' })).toEqual([
      { loc: ['body', 'id'], msg: 'must be a UUID', type: 'invalid_format' },
    ]);
  });
});
