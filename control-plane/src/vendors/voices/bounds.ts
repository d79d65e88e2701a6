/** Voices that are asked for at once. */
export const PAGE = 100;
/** Pages that are read of one account: libraries of the vendors' communities are longer than anybody reads. */
export const MAX_PAGES = 10;
