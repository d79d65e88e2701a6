/**
 * How phones are answered, for tests and figures of answering-machine detection. What is said is rendered as real audio;
 * a beep is a tone of `hz`; `pause` is in ms.
 */
type Sound =
  | { readonly say: string }
  | { readonly pause: number }
  | { readonly beep: number; readonly ms: number };

export interface AnsweredPhone {
  readonly name: string;
  /** BCP 47 */
  readonly language: string;
  readonly sounds: readonly Sound[];
}

const say = (text: string): Sound => ({ say: text });
const pause = (ms: number): Sound => ({ pause: ms });
const beep = (hz: number, ms: number): Sound => ({ beep: hz, ms });

const phone = (name: string, language: string, ...sounds: Sound[]): AnsweredPhone => ({
  name,
  language,
  sounds,
});

export const MACHINES: readonly AnsweredPhone[] = [
  phone(
    'a greeting and a beep',
    'en-US',
    pause(500),
    say(
      'Hello, you have reached the voicemail of Sam Taylor. I cannot take your call right now. Please leave a message after the tone.',
    ),
    pause(600),
    beep(1000, 500),
  ),
  phone(
    'a pause in the greeting',
    'en-US',
    pause(300),
    say('Hi, this is Sam.'),
    pause(1300),
    say("I can't come to the phone right now, so please leave me a message."),
    pause(900),
    beep(1400, 300),
  ),
  phone(
    'a short greeting',
    'en-US',
    pause(700),
    say('Sam Taylor, leave a message.'),
    pause(400),
    beep(850, 400),
  ),
  phone(
    'a greeting without a machine’s words',
    'en-US',
    pause(400),
    say('Hey, it is Sam. You know what to do, so do it and I will talk to you later.'),
    pause(500),
    beep(440, 600),
  ),
  phone(
    'a carrier’s greeting',
    'en-US',
    pause(200),
    say(
      'Your call has been forwarded to an automatic voice message system. Five five five, zero one nine two, is not available. At the tone, please record your message. When you have finished recording, you may hang up.',
    ),
    pause(300),
    beep(950, 250),
  ),
  phone(
    'no beep',
    'en-US',
    pause(600),
    say('You have reached the Miller family. We are unable to answer. Please leave your name and number.'),
  ),
  phone(
    'a long silence before the beep',
    'en-US',
    pause(400),
    say('This is the mailbox of Doctor Jones. Please leave a detailed message.'),
    pause(2500),
    beep(1200, 800),
  ),
  phone(
    'a beep after the wait for it',
    'en-US',
    pause(400),
    say('We are sorry I missed your call. Leave a message and I will call you back.'),
    pause(4500),
    beep(1000, 400),
  ),
  phone(
    'hold-ups in the middle',
    'en-US',
    pause(300),
    say('Thank you for calling Green Gardens.'),
    pause(600),
    say('Our office is closed, and no one is available to take your call.'),
    pause(900),
    say('Please leave a message after the beep.'),
    pause(700),
    beep(1600, 350),
  ),
  phone(
    'einer Mailbox',
    'de-DE',
    pause(400),
    say(
      'Guten Tag, Sie sind verbunden mit der Mailbox von Anna Schmidt. Bitte hinterlassen Sie eine Nachricht nach dem Signalton.',
    ),
    pause(700),
    beep(1000, 400),
  ),
  phone(
    'einem Anrufbeantworter',
    'de-DE',
    pause(500),
    say('Hier ist Familie Weber. Wir sind leider nicht erreichbar und rufen zurück.'),
    pause(600),
    beep(800, 500),
  ),
  phone(
    'un buzón de voz',
    'es-ES',
    pause(400),
    say('Ha llamado a Carmen López. En este momento no puedo atender. Deje su mensaje después de la señal.'),
    pause(600),
    beep(1100, 400),
  ),
  phone(
    'une messagerie',
    'fr-FR',
    pause(400),
    say('Bonjour, vous êtes bien sur la messagerie de Paul Martin. Laissez un message après le bip.'),
    pause(600),
    beep(1000, 300),
  ),
];

export const PERSONS: readonly AnsweredPhone[] = [
  phone('hello', 'en-US', pause(600), say('Hello?'), pause(3500), say('Hello? Who is this?')),
  phone(
    'yes, speaking',
    'en-US',
    pause(400),
    say('Yes, Sam Taylor speaking.'),
    pause(5000),
    say('Yes, go ahead.'),
  ),
  phone(
    'a bakery',
    'en-US',
    pause(500),
    say('Good morning, Miller bakery, you are talking to Anna, how can I help you today?'),
    pause(4500),
    say('Hello? Can you hear me?'),
  ),
  phone(
    'a practice with a long greeting',
    'en-US',
    pause(500),
    say(
      'Thank you for calling the Riverside dental practice, where your smile is our business. My name is Anna Becker. May I have your name, please, and how may I help you?',
    ),
    pause(4000),
    say('Hello? Is anyone there?'),
  ),
  phone(
    'a receptionist',
    'en-US',
    pause(600),
    say(
      'You have reached the office of Doctor Jones. He is not available right now. Would you like to leave a message?',
    ),
    pause(4500),
    say('Hello?'),
  ),
  phone(
    'somebody in a hurry',
    'en-US',
    pause(400),
    say(
      'Hi, yes, listen, I am just about to get on a train and the line may go any moment, so please be quick.',
    ),
    pause(4000),
    say('Hello? Are you there?'),
  ),
  phone(
    'a slow beginning',
    'en-US',
    pause(2500),
    say('Hello.'),
    pause(1200),
    say('Sorry, I dropped the phone. Who is calling?'),
  ),
  phone(
    'an answer to the first words',
    'en-US',
    pause(4200),
    say(
      'Yes, this is he. I have been waiting for your call, because my order has not come and I would like to know where it is.',
    ),
  ),
  phone(
    'a microwave in the background',
    'en-US',
    pause(500),
    say('Hello, Sam here.'),
    pause(900),
    beep(2000, 500),
    pause(2500),
    say('Hello? Sorry about that noise.'),
  ),
  phone(
    'somebody else’s phone',
    'en-US',
    pause(500),
    say('Sam is not here, this is his wife. Can I take a message?'),
    pause(4500),
    say('Hello?'),
  ),
  phone('hallo', 'de-DE', pause(600), say('Ja, hallo?'), pause(3500), say('Wer ist da?')),
  phone(
    'eine Praxis',
    'de-DE',
    pause(500),
    say('Praxis Doktor Schmidt, guten Morgen, mein Name ist Anna Weber, was kann ich für Sie tun?'),
    pause(4500),
    say('Hallo?'),
  ),
  phone('diga', 'es-ES', pause(600), say('¿Diga?'), pause(3500), say('¿Hola? ¿Quién es?')),
  phone(
    'un cabinet',
    'fr-FR',
    pause(500),
    say('Cabinet du docteur Martin, bonjour, que puis-je faire pour vous ?'),
    pause(4500),
    say('Allô ?'),
  ),
];
