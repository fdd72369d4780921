/**
 * One act of a person is one act for the server, however often its answer is lost.
 *
 * - `tokenFor(previous, wish, newToken)` the token to send: the same again while the same wish has no answer, otherwise a new one.
 */
export interface Attempt {
  readonly wish: string;
  readonly token: string;
  /** The server answered, whatever it said: the next click is another act. */
  readonly isAnswered: boolean;
}

export function tokenFor(previous: Attempt | undefined, wish: string, newToken: () => string): Attempt {
  if (previous && previous.wish === wish && !previous.isAnswered) return previous;
  return { wish, token: newToken(), isAnswered: false };
}
