import fc from 'fast-check';

/** Generates text of any UTF-16 units, control characters, separators and halves of pairs among them. */
export const noise = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff)), { maxLength })
    .map((units) => String.fromCharCode(...units));
