import { VendorFailure } from '../../platform/vendor-http.js';

/**
 * Returns the moment as ISO 8601 with the zone's offset at that moment: `2030-07-01T11:00:00+02:00`.
 * @param at epoch ms
 * @param timeZone IANA name; throws `VendorFailure` for one that there is not
 */
export function zonedTime(at: number, timeZone: string): string {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new VendorFailure('refused', `There is no time zone ${timeZone}; one is Europe/Berlin.`, cause);
  }
  // `GMT+02:00`, and `GMT` alone for none.
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const offset = name.slice('GMT'.length) || '+00:00';
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const ahead = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return new Date(at + ahead).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length) + offset;
}
