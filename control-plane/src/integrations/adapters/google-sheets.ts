import { z } from 'zod';
import { action, type OAuthAdapter } from '../adapter.js';
import { configured } from './configured.js';
import { google, googleOAuth } from './google.js';

/** https://developers.google.com/sheets/api/reference/rest/v4/spreadsheets.values/append */
export const googleSheets: OAuthAdapter = {
  ...google,
  slug: 'google-sheets',
  name: 'Google Sheets',
  description: 'Appends rows to a spreadsheet.',
  configHint: '`spreadsheet_id`, and `sheet` where it is not Sheet1.',
  oauth: googleOAuth(['https://www.googleapis.com/auth/spreadsheets']),
  actions: [
    action({
      name: 'append_row',
      description: 'Appends a row to the spreadsheet.',
      parameters: z.object({
        values: z
          .array(z.union([z.string().max(5000), z.number(), z.boolean()]))
          .min(1)
          .max(100)
          .describe('The cells from left to right.'),
      }),
      repeatable: false,
      async run(call, { values }) {
        const id = encodeURIComponent(configured(call, 'spreadsheet_id'));
        const sheet = typeof call.config.sheet === 'string' ? call.config.sheet : 'Sheet1';
        const range = encodeURIComponent(`'${sheet.replaceAll("'", "''")}'!A1`);
        const { json } = await call.send({
          method: 'POST',
          url: call.at('sheets', `/v4/spreadsheets/${id}/values/${range}:append`),
          // RAW: what a caller says never becomes a formula.
          query: { valueInputOption: 'RAW', insertDataOption: 'INSERT_ROWS' },
          json: { values: [values] },
        });
        const { updates } = z
          .looseObject({ updates: z.looseObject({ updatedRange: z.string() }) })
          .parse(json);
        return { range: updates.updatedRange };
      },
    }),
  ],
};
