import { describe, expect, it } from 'vitest';
import { NumberRegions } from './number-region.js';
import { requiresTwoPartyConsent } from './recording-consent.js';

const regions = new NumberRegions();

/** An area code of each state, and whether its law asks for everybody's consent to a recording. */
const STATES: readonly [state: string, areaCode: number, everybody: boolean][] = [
  ['AL', 205, false],
  ['AK', 907, false],
  ['AZ', 602, false],
  ['AR', 501, false],
  ['CA', 415, true],
  ['CO', 303, false],
  ['CT', 203, true],
  ['DE', 302, true],
  ['DC', 202, false],
  ['FL', 305, true],
  ['GA', 404, false],
  ['HI', 808, false],
  ['ID', 208, false],
  ['IL', 312, true],
  ['IN', 317, false],
  ['IA', 515, false],
  ['KS', 316, false],
  ['KY', 502, false],
  ['LA', 504, false],
  ['ME', 207, false],
  ['MD', 410, true],
  ['MA', 617, true],
  ['MI', 313, true],
  ['MN', 612, false],
  ['MS', 601, false],
  ['MO', 314, false],
  ['MT', 406, true],
  ['NE', 402, false],
  ['NV', 702, true],
  ['NH', 603, true],
  ['NJ', 201, false],
  ['NM', 505, false],
  ['NY', 212, false],
  ['NC', 919, false],
  ['ND', 701, false],
  ['OH', 216, false],
  ['OK', 405, false],
  ['OR', 503, true],
  ['PA', 215, true],
  ['RI', 401, false],
  ['SC', 803, false],
  ['SD', 605, false],
  ['TN', 615, false],
  ['TX', 713, false],
  ['UT', 801, false],
  ['VT', 802, true],
  ['VA', 804, false],
  ['WA', 206, true],
  ['WV', 304, false],
  ['WI', 414, false],
  ['WY', 307, false],
];

describe('every state of the US', () => {
  it.each(STATES)(
    '%s, by its area code %i: everybody must consent to a recording: %s',
    (state, area, all) => {
      const callee = regions.of(`+1${area}5551234`);
      expect(callee.state).toBe(state);
      expect(requiresTwoPartyConsent(callee, null)).toBe(all);
      // The law of the caller's own state counts as well.
      expect(requiresTwoPartyConsent(regions.of('+12125551234'), callee)).toBe(all);
    },
  );

  it('has all fifty, and the capital', () => {
    expect(new Set(STATES.map(([state]) => state)).size).toBe(51);
  });
});
