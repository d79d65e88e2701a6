import { queryOptions } from '@tanstack/react-query';
import { type Api, dataOf, type Mode } from '../../api/client.js';
import type { PhoneNumber } from '../../api/types.js';

interface Context {
  readonly api: Api;
  readonly mode: Mode;
}

export type Carrier = Exclude<PhoneNumber['provider'], 'simulated'>;

/** All of the API's, or it does not compile. */
const BY_NAME: Readonly<Record<Carrier, true>> = { twilio: true, telnyx: true, plivo: true };

/** Carriers that numbers are bought from and brought along of; the sandbox has its own for all of them. */
export const CARRIERS = Object.keys(BY_NAME) as [Carrier, ...Carrier[]];

/** All numbers of the mode, the newest first. */
export const numbersQuery = ({ api, mode }: Context) =>
  queryOptions({
    queryKey: [mode, 'phones'],
    queryFn: async ({ signal }): Promise<PhoneNumber[]> =>
      (await dataOf(api.GET('/api/v1/phones', { signal }))).phone_numbers,
  });

export interface Wanted {
  readonly country: string;
  readonly area_code: string;
  readonly provider: Carrier;
}

/** What a carrier sells at the moment. */
export const availableQuery = ({ api, mode }: Context, wanted: Wanted) =>
  queryOptions({
    queryKey: [mode, 'phones', 'available', wanted],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/phones/available', {
          params: {
            query: {
              country: wanted.country,
              provider: wanted.provider,
              limit: 20,
              ...(wanted.area_code !== '' && { area_code: wanted.area_code }),
            },
          },
          signal,
        }),
      ),
  });
