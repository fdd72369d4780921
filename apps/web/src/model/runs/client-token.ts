/**
 * Makes an action idempotent: repeating a request whose response was lost does not repeat the action.
 *
 * - `tokenFor(previous, input, newToken)` the token to send: the previous one while the same input has no response, otherwise a
 *   new one.
 */
export interface Attempt {
  readonly input: string;
  readonly token: string;
  /** The server responded, with success or an error, so the next click is a new action. */
  readonly isAnswered: boolean;
}

export function tokenFor(previous: Attempt | undefined, input: string, newToken: () => string): Attempt {
  if (previous && previous.input === input && !previous.isAnswered) return previous;
  return { input, token: newToken(), isAnswered: false };
}
