import { describe, expect, it } from 'vitest';
import { paramFields, paramsSchemaOf, withParam } from './params.js';

describe('the fields of a provider', () => {
  const fieldsOf = (properties: Record<string, unknown>) => paramFields({ properties });

  it('are its plain parameters, with what can be chosen', () => {
    const fields = fieldsOf({
      voice_id: { type: 'string', description: 'Which voice.' },
      speed: { type: 'number' },
      steps: { type: 'integer' },
      style: { type: 'string', enum: ['calm', 'brisk'] },
      smart: { type: 'boolean' },
      words: { type: 'array' },
    });
    expect(fields.map(({ name, hint, type, options }) => [name, hint, type, options])).toEqual([
      ['voice_id', 'Which voice.', 'string', null],
      ['speed', '', 'number', null],
      ['steps', '', 'number', null],
      ['style', '', 'string', ['calm', 'brisk']],
      ['smart', '', 'boolean', ['true', 'false']],
    ]);
  });

  it('are labelled in words', () => {
    const names = ['voice_id', 'base_url', 'eot_timeout_ms', 'vad_threshold', 'similarity_boost'];
    const fields = fieldsOf(Object.fromEntries(names.map((name) => [name, { type: 'string' }])));
    expect(fields.map(({ label }) => label)).toEqual([
      'Voice ID',
      'Base URL',
      'End-of-turn timeout (ms)',
      'VAD threshold',
      'Similarity boost',
    ]);
  });

  it('say between which numbers a value lies, and what holds without one', () => {
    const [threshold, tokens, format] = fieldsOf({
      threshold: { type: 'number', description: 'How sure.', minimum: 0.5, maximum: 1, default: 0.7 },
      tokens: { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      format: { type: 'boolean', default: true },
    });
    expect(threshold).toMatchObject({ hint: 'How sure. From 0.5 to 1.', fallback: '0.7' });
    expect(tokens).toMatchObject({ hint: '', fallback: '' });
    expect(format).toMatchObject({ fallback: 'true' });
  });

  it('are also those that may be null or have another form, by their first plain form', () => {
    const [eager, voice, words] = fieldsOf({
      eager: { anyOf: [{ type: 'number', minimum: 0.3, maximum: 0.9 }, { type: 'null' }], default: 0.5 },
      voice: { anyOf: [{ type: 'string' }, { type: 'object' }] },
      turns: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    });
    expect(eager).toMatchObject({
      type: 'number',
      hint: 'From 0.3 to 0.9.',
      fallback: '0.5',
      isNullable: true,
    });
    expect(voice).toMatchObject({ type: 'string', isNullable: false });
    expect(words).toBeUndefined();
  });

  it('hide what is typed into a key', () => {
    const [key, url] = fieldsOf({
      api_key: { type: 'string', format: 'password' },
      base_url: { type: 'string', format: 'uri' },
    });
    expect(key!.isSecret).toBe(true);
    expect(url!.isSecret).toBe(false);
  });

  it('are none of a schema without properties', () => expect(paramFields({})).toEqual([]));
});

describe('the parameters of a model', () => {
  const schemaOf = (name: string) => ({ properties: { [name]: { type: 'number' } } });
  const provider = {
    default_model: 'nova-3',
    known_models: [
      { family: 'nova-3', params_schema: schemaOf('nova') },
      { family: 'flux', params_schema: schemaOf('flux') },
      { family: 'flux-general-multi', params_schema: schemaOf('multi') },
    ],
    params_schema: schemaOf('most'),
  };
  it.each([
    ['', 'nova'],
    ['flux-general-en', 'flux'],
    ['flux-general-multi', 'multi'],
    ['base', 'most'],
  ])('of "%s" are those of the longest family: %s', (model, expected) => {
    expect(paramsSchemaOf(provider, model)).toEqual(schemaOf(expected));
  });
});

describe('a parameter as it is entered', () => {
  const number = (name: string, isNullable = false) => ({ name, type: 'number' as const, isNullable });

  it('has its type, and is left out when it is empty', () => {
    expect(withParam({ a: 1 }, number('speed'), '1.5')).toEqual({ a: 1, speed: 1.5 });
    expect(withParam({}, { name: 'smart', type: 'boolean', isNullable: false }, 'false')).toEqual({
      smart: false,
    });
    expect(withParam({ a: 1, b: 2 }, number('b'), '')).toEqual({ a: 1 });
  });

  it('is null where that means something', () => {
    expect(withParam({}, number('eager', true), 'null')).toEqual({ eager: null });
    expect(withParam({}, number('speed'), 'null')).toEqual({ speed: 'null' });
  });

  it('stays as it was written where it is no number', () =>
    expect(withParam({}, number('speed'), 'fast')).toEqual({ speed: 'fast' }));
});
