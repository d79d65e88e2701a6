import { CARRIER_PROTOCOLS } from '@voice/shared/catalogue/carriers';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { CARRIER_CODECS } from './carrier-codecs.js';
import { ProtocolViolation } from './codec.js';

describe('the codecs of carriers', () => {
  it('are those of the protocols that the catalogue names', () => {
    expect(Object.keys(CARRIER_CODECS).sort()).toEqual([...CARRIER_PROTOCOLS].sort());
  });

  it.each(Object.entries(CARRIER_CODECS))('keep the state of one connection each: %s', (_, create) => {
    const clock = new ScriptedClock();
    const [one, other] = [create({ clock }), create({ clock })];
    expect(one).not.toBe(other);
    expect(() => one.decode('hello')).toThrow(ProtocolViolation);
  });
});
