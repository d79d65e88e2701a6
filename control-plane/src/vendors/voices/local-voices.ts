import type { Voice } from './voice.js';

/** What espeak-ng speaks, of its hundred languages those that agents are asked for; any other can be named. */
const LANGUAGES: Readonly<Record<string, string>> = {
  'en-us': 'English, American',
  'en-gb': 'English, British',
  de: 'German',
  es: 'Spanish',
  fr: 'French',
  it: 'Italian',
  nl: 'Dutch',
  pt: 'Portuguese',
  'pt-br': 'Portuguese, Brazilian',
};
const VARIANTS = { '': 'male', '+f3': 'female' } as const;

/** Returns the voices of this machine: the neural one where a model is installed, and espeak-ng's. Pure. */
export function localVoices(neural: string | null): Voice[] {
  const voiceOf = (
    id: string,
    about: Pick<Voice, 'name' | 'description' | 'languages' | 'gender'>,
  ): Voice => ({
    provider: 'local',
    id,
    ...about,
    accent: null,
    choice: { provider: 'local', model: '', params: { voice: id } },
    sample: null,
  });
  return [
    ...(neural === null
      ? []
      : [
          voiceOf(neural, {
            name: neural,
            description: 'The neural voice of this machine',
            languages: [neural.split('-')[0]!.replace('_', '-')],
            gender: null,
          }),
        ]),
    ...Object.entries(LANGUAGES).flatMap(([language, name]) =>
      Object.entries(VARIANTS).map(([variant, gender]) =>
        voiceOf(language + variant, {
          name: `${name} (${gender})`,
          description: 'espeak-ng: a machine, and it sounds like one',
          languages: [language],
          gender,
        }),
      ),
    ),
  ];
}
