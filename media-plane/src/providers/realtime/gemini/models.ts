export const DEFAULT_MODEL = 'gemini-3.8-live';

/** What differs between the generations of Live models (ai.google.dev/gemini-api/docs/models). */
export interface ModelTraits {
  /** 2.x native audio chooses its language and refuses to be given one. */
  readonly takesLanguage: boolean;
  readonly thinking: 'budget' | 'level' | 'none';
  /** Function calls are asynchronous unless they are declared `BLOCKING` (3.8). */
  readonly declaresBlocking: boolean;
  /** Input while a function call is unanswered breaks the connection (before 3.8). */
  readonly mutedByCalls: boolean;
  /** `contextUpdate` changes the tools of a running session (3.8). */
  readonly updatesContext: boolean;
  /** History is announced by `historyConfig` and then never answered (3.x). */
  readonly announcesHistory: boolean;
}

const V38: ModelTraits = {
  takesLanguage: true,
  thinking: 'none',
  declaresBlocking: true,
  mutedByCalls: false,
  updatesContext: true,
  announcesHistory: true,
};
const V31: ModelTraits = {
  takesLanguage: true,
  thinking: 'level',
  declaresBlocking: false,
  mutedByCalls: true,
  updatesContext: false,
  announcesHistory: true,
};
const V2: ModelTraits = { ...V31, takesLanguage: false, thinking: 'budget', announcesHistory: false };

/** Returns the traits of a model by its name; one that is not known is taken to be like the newest. */
export function traitsOf(model: string): ModelTraits {
  if (/^gemini-(?:live-)?2\./.test(model)) return V2;
  if (/^gemini-3\.[0-5]-/.test(model)) return V31;
  if (/extended-thinking/.test(model)) return { ...V38, thinking: 'level' };
  return V38;
}
