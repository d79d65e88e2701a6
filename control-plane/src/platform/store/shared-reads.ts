import { Gathered } from './gathered.js';

/**
 * Asks each question once, however many ask it at the same time: `keyOf` identifies a question, `read`
 * gives the answer. A read begins after it was asked for, so its answer is never older than the question.
 */
export function sharedReads<Question, Answer>(
  keyOf: (question: Question) => string,
  read: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const reads = new Gathered<Question, Answer>(async (questions) => {
    const answers = new Map<string, Promise<Answer>>();
    for (const question of questions) {
      const key = keyOf(question);
      if (!answers.has(key)) answers.set(key, read(question));
    }
    return Promise.all(questions.map((question) => answers.get(keyOf(question))!));
  });
  return (question) => reads.add(question);
}
