import { createApi } from '../../api/client.js';

/**
 * The API for what belongs to the account as a whole: only production changes it, whichever mode the page is in. A
 * query's key begins with `account`.
 */
export const accountApi = createApi('live');
