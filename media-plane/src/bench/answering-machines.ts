/**
 * How often answering-machine detection is wrong, over simulated phones with real audio:
 * `node media-plane/dist/bench/answering-machines.js`. Each phone is played in two voices, without and with noise on the
 * line and words that the recogniser misses, to a call that leaves a message; without a carrier's verdict, with a right
 * one and with a wrong one.
 */

import { startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { SPOKEN_TEXTS } from '@voice/shared/local-voice/testing/kept-voice';
import { type AnsweredOutcome, playAnswered } from '../call/testing/answered-call.js';
import { type RenderingOptions, renderPhone } from '../testing/answered-phone.js';
import { type AnsweredPhone, MACHINES, PERSONS } from '../testing/answers.js';

const VOICES = ['m3', 'f2'] as const;
const LINES: readonly { readonly name: string; readonly options: Omit<RenderingOptions, 'variant'> }[] = [
  { name: 'clear line, all words', options: {} },
  { name: 'noise, one word in five missed', options: { noise: 400, misheard: true } },
];
const CARRIERS = ['silent', 'right', 'wrong'] as const;

const voice = startLocalVoice({ keepIn: SPOKEN_TEXTS });

async function outcomes(
  phones: readonly AnsweredPhone[],
  isMachine: boolean,
  options: Omit<RenderingOptions, 'variant'>,
  carrier: (typeof CARRIERS)[number],
): Promise<{ readonly phone: AnsweredPhone; readonly outcome: AnsweredOutcome }[]> {
  const results = [];
  for (const phone of phones) {
    for (const variant of VOICES) {
      const rendered = await renderPhone(phone, voice, { ...options, variant });
      const verdict = (carrier === 'right') === isMachine ? 'machine_start' : 'human';
      results.push({
        phone,
        outcome: await playAnswered(rendered, carrier === 'silent' ? undefined : verdict),
      });
    }
  }
  return results;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const share = (part: number, whole: number) =>
  `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;

for (const { name, options } of LINES) {
  print(`\n${name}`);
  for (const carrier of CARRIERS) {
    const machines = await outcomes(MACHINES, true, options, carrier);
    const persons = await outcomes(PERSONS, false, options, carrier);
    const missed = machines.filter(({ outcome }) => !outcome.endedAsVoicemail);
    const beeping = machines.filter(({ outcome }) => outcome.endedAsVoicemail && outcome.beeped);
    const early = beeping.filter(({ outcome }) => !outcome.messageAfterBeep);
    const taken = persons.filter(({ outcome }) => outcome.tookForMachine);
    const lost = persons.filter(({ outcome }) => outcome.endedAsVoicemail);
    print(`  the carrier's verdict: ${carrier}`);
    print(`    machines talked to as persons          ${share(missed.length, machines.length)}`);
    print(`    messages begun before the beep         ${share(early.length, beeping.length)}`);
    print(`    persons taken for machines             ${share(taken.length, persons.length)}`);
    print(`    … and not corrected by their answer    ${share(lost.length, persons.length)}`);
    for (const [what, wrong] of Object.entries({ missed, early, taken, lost })) {
      if (wrong.length > 0)
        print(`      ${what}: ${[...new Set(wrong.map(({ phone }) => phone.name))].join('; ')}`);
    }
  }
}
voice.close();
