import { expect, it } from 'vitest';
import { phoneOf } from './phone.js';

it.each([
  ['+15005550006', '+15005550006'],
  [' +1 (500) 555-0006 ', '+15005550006'],
  ['0049 30 123456', '+4930123456'],
  ['500 555 0006', null],
  ['+1', null],
  ['Ada', null],
])('reads %j as %j', (written, number) => expect(phoneOf(written)).toBe(number));
