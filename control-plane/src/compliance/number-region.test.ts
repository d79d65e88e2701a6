import { describe, expect, it } from 'vitest';
import { NumberRegions } from './number-region.js';

const regions = new NumberRegions();

describe('the state and time zone of a number', () => {
  it.each([
    ['+12125551234', 'NY', ['America/New_York']],
    ['+14155551234', 'CA', ['America/Los_Angeles']],
    ['+13125551234', 'IL', ['America/Chicago']],
    ['+12065551234', 'WA', ['America/Los_Angeles']],
    ['+18085551234', 'HI', ['Pacific/Honolulu']],
    ['+16025551234', 'AZ', ['America/Phoenix']],
    ['+12025551234', 'DC', ['America/New_York']],
    ['+12035551234', 'CT', ['America/New_York']],
    ['+17135551234', 'TX', ['America/Chicago']],
    ['+18504341234', 'FL', ['America/Chicago']], // Pensacola, in the other half of the area
    ['+14165551234', null, ['America/Toronto']],
    ['+17875551234', null, ['America/Puerto_Rico']],
    ['+493012345678', null, ['Europe/Berlin']],
    ['+442071234567', null, ['Europe/London']],
  ])('%s', (number, state, zones) => {
    expect(regions.of(number)).toEqual({ isTest: false, state, zones });
  });

  it('is every zone of the area where its exchanges differ and this one is not known', () => {
    const { state, zones } = regions.of('+12080001234');
    expect(state).toBe('ID');
    expect([...zones].sort()).toEqual(['America/Boise', 'America/Denver', 'America/Los_Angeles']);
  });

  it.each(['+18005551234', '+15002345678'])('is every zone of the numbering plan for %s', (number) => {
    const { state, zones } = regions.of(number);
    expect(state).toBeNull();
    expect(zones).toContain('America/New_York');
    expect(zones).toContain('Pacific/Honolulu');
    // These have one area code each: a number that the data cannot place is not there.
    for (const zone of ['Pacific/Guam', 'Pacific/Saipan', 'Pacific/Pago_Pago']) {
      expect(zones).not.toContain(zone);
    }
  });

  it('is every zone of the country for a mobile number', () => {
    expect(regions.of('+61412345678').zones).toContain('Australia/Perth');
    expect(regions.of('+61412345678').zones).toContain('Australia/Sydney');
  });

  it('is that of its area for a mobile number of a country whose mobile numbers have one', () => {
    expect(regions.of('+5592991234567').zones).toEqual(['America/Manaus']);
    expect(regions.of('+5511991234567').zones).toEqual(['America/Sao_Paulo']);
  });

  it('is the same when it is asked for again', () => {
    expect(regions.of('+12125551234')).toEqual(regions.of('+12125551234'));
  });

  it('is nowhere for a carrier test number, and not known for a number of no country', () => {
    expect(regions.of('+15005550006')).toEqual({ isTest: true, state: null, zones: [] });
    expect(regions.of('+99912345678')).toEqual({ isTest: false, state: null, zones: [] });
  });
});
