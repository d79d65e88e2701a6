interface Bounded {
  minimum?: number | undefined;
  maximum?: number | undefined;
}

/** Takes the bounds of the language's own integers off a JSON Schema: they are none of the API's. */
export function dropLanguageBounds(jsonSchema: Bounded): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
