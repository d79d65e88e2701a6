import { type Doc, isDoc, isNumber, typeName, type Value } from '../bson/values.js';
import { integer } from '../bson-order/integers.js';
import { toDouble } from '../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';

/** Arguments that every command takes and that change nothing on a single server. */
const GENERIC = new Set([
  '$db',
  'lsid',
  '$clusterTime',
  '$readPreference',
  'comment',
  'maxTimeMS',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'readConcern',
  'writeConcern',
]);

/**
 * Typed access to a command's fields, and in the end (`done`) the refusal of every field that nobody asked
 * for, so that an option which the store does not know is never silently ignored.
 */
export class Arguments {
  private readonly seen = new Set<string>();

  constructor(
    private readonly command: string,
    private readonly fields: Doc,
  ) {}

  value(name: string): Value | undefined {
    this.seen.add(name);
    return this.fields.get(name);
  }

  string(name: string): string {
    return this.required(name, this.optionalString(name));
  }

  optionalString(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.wrongType(name, value, 'string');
  }

  document(name: string): Doc {
    return this.required(name, this.optionalDocument(name));
  }

  optionalDocument(name: string): Doc | undefined {
    const value = this.value(name);
    if (value === undefined || isDoc(value)) return value;
    throw this.wrongType(name, value, 'object');
  }

  array(name: string): Value[] {
    return this.required(name, this.optionalArray(name));
  }

  optionalArray(name: string): Value[] | undefined {
    const value = this.value(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.wrongType(name, value, 'array');
  }

  documents(name: string): Doc[] {
    return this.array(name).map((item) => {
      if (isDoc(item)) return item;
      throw this.wrongType(name, item, 'object');
    });
  }

  /** Reads like `documents`; empty when the argument is absent. */
  documentsIfAny(name: string): Doc[] {
    return this.optionalArray(name) === undefined ? [] : this.documents(name);
  }

  boolean(name: string): boolean {
    const value = this.value(name);
    if (value === undefined || value === null) return false;
    if (typeof value === 'boolean') return value;
    if (isNumber(value)) return toDouble(value) !== 0;
    throw this.wrongType(name, value, 'bool');
  }

  /** Reads a whole number that is not negative. */
  count(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined || value === null) return undefined;
    if (!isNumber(value)) throw this.wrongType(name, value, 'long');
    const whole = integer(value);
    if (whole === undefined) {
      throw new CommandError(codes.FailedToParse, `BSON field '${this.command}.${name}' must be an integer`);
    }
    if (whole < 0n) {
      throw new CommandError(51024, `BSON field '${name}' value must be >= 0, actual value '${whole}'`);
    }
    return Number(whole);
  }

  int64(name: string): bigint {
    const value = this.required(name, this.value(name));
    const whole = integer(value);
    if (whole === undefined) throw this.wrongType(name, value, 'long');
    return whole;
  }

  /** Arguments that may be there and mean nothing here. */
  ignore(...names: string[]): void {
    for (const name of names) this.seen.add(name);
  }

  /** Arguments that would change the answer and that the store does not support. */
  refuse(...names: string[]): void {
    for (const name of names) {
      const value = this.value(name);
      const empty =
        value === undefined || value === null || value === false || (isDoc(value) && value.size === 0);
      if (!empty) throw notSupported(`the option '${name}' of ${this.command}`);
    }
  }

  done(): void {
    for (const name of this.fields.keys()) {
      if (!this.seen.has(name) && !GENERIC.has(name)) {
        throw new CommandError(
          codes.UnknownField,
          `BSON field '${this.command}.${name}' is an unknown field.`,
        );
      }
    }
  }

  private required<T>(name: string, value: T | undefined): T {
    if (value !== undefined) return value;
    throw new CommandError(
      codes.MissingField,
      `BSON field '${this.command}.${name}' is missing but a required field`,
    );
  }

  private wrongType(name: string, value: Value, expected: string): CommandError {
    return new CommandError(
      codes.TypeMismatch,
      `BSON field '${this.command}.${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
    );
  }
}
