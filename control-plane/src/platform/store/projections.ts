/** Returns the projection that reads these fields alone. */
export const only = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, 1]));

/** Returns the projection that reads all fields but these. */
export const allBut = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, 0]));
