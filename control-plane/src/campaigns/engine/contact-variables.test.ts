import { describe, expect, it } from 'vitest';
import { variablesOf } from './contact-variables.js';

describe('what the agent may say of a contact', () => {
  it('is every column under a name that a prompt can hold', () => {
    expect(
      variablesOf({
        phone: '+14155550100',
        first_name: 'Ann',
        last_name: null,
        contact_data: JSON.stringify({ 'Company Name': 'Acme', '2nd': 'x', seats: 4, nested: {} }),
      }),
    ).toEqual({
      phone: '+14155550100',
      first_name: 'Ann',
      last_name: '',
      Company_Name: 'Acme',
      _2nd: 'x',
      seats: 4,
    });
  });

  it('is text, numbers and switches, not names without a letter, and its own fields win', () => {
    expect(
      variablesOf({
        phone: '+14155550100',
        first_name: null,
        last_name: 'Lee',
        contact_data: JSON.stringify({
          ' vip ': true,
          'a--b': '',
          '': 'x',
          ' ': 'x',
          3: 7,
          tags: ['x'],
          none: null,
          phone: 'x',
          first_name: 'x',
        }),
      }),
    ).toEqual({ phone: '+14155550100', first_name: '', last_name: 'Lee', vip: true, a_b: '', _3: 7 });
  });
});
