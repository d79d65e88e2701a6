const STATES: Readonly<Record<string, string>> = {
  Alabama: 'AL',
  Alaska: 'AK',
  Arizona: 'AZ',
  Arkansas: 'AR',
  California: 'CA',
  Colorado: 'CO',
  Connecticut: 'CT',
  Delaware: 'DE',
  Florida: 'FL',
  Georgia: 'GA',
  Hawaii: 'HI',
  Idaho: 'ID',
  Illinois: 'IL',
  Indiana: 'IN',
  Iowa: 'IA',
  Kansas: 'KS',
  Kentucky: 'KY',
  Louisiana: 'LA',
  Maine: 'ME',
  Maryland: 'MD',
  Massachusetts: 'MA',
  Michigan: 'MI',
  Minnesota: 'MN',
  Mississippi: 'MS',
  Missouri: 'MO',
  Montana: 'MT',
  Nebraska: 'NE',
  Nevada: 'NV',
  'New Hampshire': 'NH',
  'New Jersey': 'NJ',
  'New Mexico': 'NM',
  'New York': 'NY',
  'North Carolina': 'NC',
  'North Dakota': 'ND',
  Ohio: 'OH',
  Oklahoma: 'OK',
  Oregon: 'OR',
  Pennsylvania: 'PA',
  'Rhode Island': 'RI',
  'South Carolina': 'SC',
  'South Dakota': 'SD',
  Tennessee: 'TN',
  Texas: 'TX',
  Utah: 'UT',
  Vermont: 'VT',
  Virginia: 'VA',
  'Washington State': 'WA',
  'Washington D.C.': 'DC',
  'West Virginia': 'WV',
  Wisconsin: 'WI',
  Wyoming: 'WY',
};
const CODES = new Set(Object.values(STATES));

/** Returns the postal code of a place as libphonenumber names it: a state, or "City, ST". Null outside of the US. */
export function stateCode(place: string): string | null {
  const ofCity = /, ([A-Z]{2})$/.exec(place)?.[1];
  if (ofCity !== undefined) return CODES.has(ofCity) ? ofCity : null;
  return STATES[place] ?? null;
}

/**
 * States whose law, or the stricter reading of it, asks for everybody's consent to a recording: their
 * wiretapping statutes and the reservations on them (Connecticut's civil liability, Michigan's and
 * Oregon's and Nevada's case law; Vermont, without a statute, by its courts).
 */
const TWO_PARTY_STATES: ReadonlySet<string> = new Set([
  'CA',
  'CT',
  'DE',
  'FL',
  'IL',
  'MA',
  'MD',
  'MI',
  'MT',
  'NH',
  'NV',
  'OR',
  'PA',
  'VT',
  'WA',
]);

export function isTwoPartyState(state: string): boolean {
  return TWO_PARTY_STATES.has(state);
}
