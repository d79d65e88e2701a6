import { expect, it } from 'vitest';
import { dataOf } from './client.js';

it('says that something else has answered where there is no JSON', async () => {
  const read = async () => ({ data: JSON.parse('<html>Sign in</html>'), response: new Response() });
  await expect(dataOf(read())).rejects.toMatchObject({ name: 'ApiError', code: 'no_json', status: 0 });
});
