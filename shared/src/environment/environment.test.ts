import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigurationError, pair, parseEnvironment, parseOption } from './environment.js';
import {
  baseUrl,
  choice,
  host,
  httpBaseUrl,
  httpBaseUrls,
  httpUrl,
  list,
  mongodbUri,
  number,
  onOff,
  optionalText,
  port,
  quoted,
  seconds,
  secret,
  wholeNumber,
} from './parsers.js';

describe('parsers of environment variables', () => {
  it.each([
    ['a port', port, '8080', 8080],
    ['a free port', port, '0', 0],
    ['a number', number({ min: 0, max: 10 }), '2.5', 2.5],
    ['a whole number at its bound', wholeNumber({ min: 1, max: 64 }), '64', 64],
    ['seconds, as milliseconds', seconds({ min: 0, max: 60 }), '30', 30_000],
    ['on', onOff, 'on', true],
    ['off', onOff, 'off', false],
    ['a word', choice(['human', 'json']), 'json', 'json'],
    ['a URL as it is', httpUrl, 'https://voice.example/v1/', 'https://voice.example/v1/'],
    ['a base URL without its slash', httpBaseUrl, 'https://voice.example/', 'https://voice.example'],
    ['a socket’s URL', baseUrl('ws', 'wss'), 'wss://media.example', 'wss://media.example'],
    ['base URLs by comma', httpBaseUrls, 'http://a:1/, https://b', ['http://a:1', 'https://b']],
    ['a list without blank entries', list, ' 10.0.0.0/8, ,::1,', ['10.0.0.0/8', '::1']],
    ['blank text as absent', optionalText, '  ', undefined],
    ['trimmed text', optionalText, ' key ', 'key'],
    ['a host', host, '0.0.0.0', '0.0.0.0'],
    ['a secret', secret(4), 'four', 'four'],
    ['a MongoDB URI', mongodbUri, 'mongodb+srv://x', 'mongodb+srv://x'],
  ] as const)('parse %s', (_what, schema: z.ZodType, text, value) => {
    expect(parseOption('X', schema, text)).toEqual(value);
  });

  it.each([
    [port, 'abc', "expected a number, got 'abc'"],
    [port, '70000', "expected a whole number from 0 to 65535, got '70000'"],
    [port, '80.5', "expected a whole number from 0 to 65535, got '80.5'"],
    [number({ min: 0, max: 10 }), 'abc', "expected a number, got 'abc'"],
    [number({ min: 0, max: 10 }), '-1', "expected a number from 0 to 10, got '-1'"],
    [number({ min: 0, max: 10 }), ' ', "expected a number, got ' '"],
    [
      wholeNumber({ min: 1, max: 9, hint: 'one is needed' }),
      '0',
      "expected a whole number from 1 to 9, got '0': one is needed",
    ],
    [
      wholeNumber({ min: 1, max: 9, hint: 'one is needed' }),
      '10',
      "expected a whole number from 1 to 9, got '10'",
    ],
    [
      wholeNumber({ min: 10, max: Number.POSITIVE_INFINITY }),
      '9',
      "expected a whole number of at least 10, got '9'",
    ],
    [onOff, 'perhaps', "expected on or off, got 'perhaps'"],
    [choice(['a', 'b', 'c']), 'd', "expected a, b or c, got 'd'"],
    [httpUrl, 'nowhere', "expected a URL that begins with http:// or https://, got 'nowhere'"],
    [httpUrl, 'ws://a', "expected a URL that begins with http:// or https://, got 'ws://a'"],
    [httpBaseUrls, 'http://a,', "expected a URL that begins with http:// or https://, got ''"],
    [host, 'not a host', "expected an IP address or a host name, got 'not a host'"],
    [secret(16), 'short', 'expected at least 16 characters, got 5'],
    [secret(16, 'make one'), 'short', 'expected at least 16 characters, got 5: make one'],
    [mongodbUri, 'mysql://u:pw@h', 'expected a URI that begins with mongodb:// or mongodb+srv://'],
  ] as const)('refuse with the reason (%#)', (schema: z.ZodType, text, reason) => {
    expect(() => parseOption('--x', schema, text)).toThrow(new ConfigurationError(`--x: ${reason}`));
  });

  it('quote a value without the credentials of a URL, and cut', () => {
    expect(quoted('https://user:pw@host/x')).toBe("'https://…@host/x'");
    expect(quoted('x'.repeat(100))).toBe(`'${'x'.repeat(80)}…'`);
  });
});

describe('parseEnvironment', () => {
  const schema = z.object({
    PORT: port.default(8080),
    TOKEN: secret(4),
    ORIGIN: httpUrl.optional(),
  });

  it('takes an empty variable as absent', () => {
    expect(parseEnvironment(schema, { PORT: '', TOKEN: 'token', ORIGIN: '' })).toEqual({
      PORT: 8080,
      TOKEN: 'token',
    });
  });

  it('names every missing or wrong variable, one a line', () => {
    expect(() => parseEnvironment(schema, { PORT: 'abc', ORIGIN: 'x', TOKEN: '' })).toThrow(
      new ConfigurationError(
        "PORT: expected a number, got 'abc'\nTOKEN is missing\nORIGIN: expected a URL that begins with http:// or https://, got 'x'",
      ),
    );
  });
});

describe('pair', () => {
  it('gives both or none', () => {
    expect(pair(['A', 'a'], ['B', 'b'])).toEqual(['a', 'b']);
    expect(pair(['A', undefined], ['B', undefined])).toBeUndefined();
  });

  it('names the one that is missing beside the other', () => {
    expect(() => pair(['A', 'a'], ['B', undefined])).toThrow('B is missing beside A');
    expect(() => pair(['A', undefined], ['B', 'b'])).toThrow('A is missing beside B');
  });
});
