/** To a caller who was to be transferred, and whom nobody took. */
export const NOBODY_THERE =
  'I am sorry, nobody can take your call at the moment. Please call again. Goodbye.';
