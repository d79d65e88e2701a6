import { z } from 'zod';

/** Parts of the editor. */
export const SECTIONS = ['prompt', 'tools', 'voice', 'turns', 'rules', 'analysis', 'versions'] as const;
export type Section = (typeof SECTIONS)[number];

/** Ways to try an agent out beside its editor. */
const PANELS = ['talk', 'chat'] as const;
export type Panel = (typeof PANELS)[number];

/** What of the editor the address holds. */
export const editorSearch = z.object({
  section: z.enum(SECTIONS).optional().catch(undefined),
  /** How it is tried out. */
  panel: z.enum(PANELS).optional().catch(undefined),
  /** The version that is compared with the one in force. */
  compare: z.int().positive().optional().catch(undefined),
  /** The page was opened to talk: it connects at once. */
  talk: z.boolean().optional().catch(undefined),
});
