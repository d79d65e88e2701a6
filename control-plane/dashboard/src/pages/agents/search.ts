import { z } from 'zod';

/** Parts of the editor. */
export const SECTIONS = ['prompt', 'tools', 'voice', 'turns', 'rules', 'analysis', 'versions'] as const;
export type Section = (typeof SECTIONS)[number];

/** What of the editor the address holds. */
export const editorSearch = z.object({
  section: z.enum(SECTIONS).optional().catch(undefined),
  /** The page was opened to talk: it connects at once. */
  talk: z.boolean().optional().catch(undefined),
});
