/** What a simulated person says; ` | ` is where they may pause. Short enough for the voices to say it in one breath. */
export const PHRASES: readonly string[] = [
  'I want to book a table | for four tonight.',
  'My appointment is on Tuesday | but I am ill.',
  'Could you tell me | when you are open?',
  'I am calling because | my order is late.',
  'The reference is | seven four two nine.',
  'I think we should | take the larger one.',
  'I have a question | about my last bill.',
  'We came last week | and nobody was there.',
  'Please send it to | twelve Baker Street.',
  'I need to speak | to a manager please.',
  'It came on Monday | but the box was empty.',
  'Can I change | the delivery address?',
  'I wanted to | ask about the price.',
  'My name is | Jonathan Miller.',
  'I would like | the one in blue please.',
  'If it rains tomorrow | can we meet later?',
  'I already paid | the invoice in March.',
  'There is a problem | with my heating.',
  'Do you have a room | for next Friday?',
  'I lost my card | and I need a new one.',
  'We are two adults | and three children.',
  'What does it cost | to send it to Spain?',
  'I am looking for | a present for my mum.',
  'The car is loud | when I turn left.',
  'Yes please.',
  'No thank you.',
  'Tuesday is fine.',
  'That is all.',
  'Nine in the morning.',
  'Sounds good to me.',
];

/** Voices, by the name that the local voice knows them by. */
export const VOICES: readonly string[] = ['en_US-joe-medium', 'en-us', 'en-us+f3', 'en-us+m3'];

/** Pauses in mid-sentence, in ms. */
export const PAUSES_MS: readonly number[] = [300, 500, 700, 900, 1200];
