import { describe, expect, it } from 'vitest';
import { paramFields, withParam } from './params.js';

describe('the fields of a provider', () => {
  it('are its plain parameters, with what can be chosen', () => {
    const schema = {
      properties: {
        voice_id: { type: 'string', description: 'Which voice.' },
        speed: { type: 'number' },
        steps: { type: 'integer' },
        style: { type: 'string', enum: ['calm', 'brisk'] },
        smart: { type: 'boolean' },
        words: { type: 'array' },
      },
    };
    expect(paramFields(schema)).toEqual([
      { name: 'voice_id', hint: 'Which voice.', type: 'string', options: null },
      { name: 'speed', hint: '', type: 'number', options: null },
      { name: 'steps', hint: '', type: 'number', options: null },
      { name: 'style', hint: '', type: 'string', options: ['calm', 'brisk'] },
      { name: 'smart', hint: '', type: 'boolean', options: ['true', 'false'] },
    ]);
  });

  it('are none of a schema without properties', () => expect(paramFields({})).toEqual([]));
});

describe('a parameter as it is entered', () => {
  it('has its type, and is left out when it is empty', () => {
    expect(withParam({ a: 1 }, 'speed', 'number', '1.5')).toEqual({ a: 1, speed: 1.5 });
    expect(withParam({}, 'smart', 'boolean', 'false')).toEqual({ smart: false });
    expect(withParam({ a: 1, b: 2 }, 'b', 'number', '')).toEqual({ a: 1 });
  });

  it('stays as it was written where it is no number', () =>
    expect(withParam({}, 'speed', 'number', 'fast')).toEqual({ speed: 'fast' }));
});
