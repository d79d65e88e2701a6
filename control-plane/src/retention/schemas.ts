import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

export const callErasureResponse = z
  .object({
    call_id: uuid,
    status: z
      .enum(['erasing', 'erased'])
      .describe(
        '`erasing`: nothing of it is shown any more, and the rest follows by itself as soon as the end of the call ' +
          'is charged and published, or the storage answers.',
      ),
    erased_at: z.iso.datetime().nullable().describe('When all of it was gone; null before.'),
  })
  .meta({ id: 'CallErasureResponse' });
