/**
 * What a minute of a call holds that was refused for its tenant's credit or cap and is kept to be seen, in
 * micro-dollars: for the moment between its being stored and its being ended it must not have another one refused, and
 * it takes the place of none that was admitted.
 */
export const HOLDS_NOTHING = 0;
