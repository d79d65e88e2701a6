import { expect, it } from 'vitest';
import { urlAt } from './url.js';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
  ['10.0.0.7', 'http://10.0.0.7:80'],
  ['plane.internal', 'http://plane.internal:80'],
])('a server that listens on %s is reached at %s', (host, url) => {
  expect(urlAt({ host, port: 80 })).toBe(url);
});
