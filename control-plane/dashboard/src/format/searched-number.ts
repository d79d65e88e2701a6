import { z } from 'zod';
import { phoneOf } from './phone.js';

/** A phone number in an address, in E.164; what is none is left out. */
export const searchedNumber = z
  .string()
  .refine((text) => phoneOf(text) === text)
  .optional()
  .catch(undefined);
