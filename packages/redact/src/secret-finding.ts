/** A stretch of text that is a secret, and of which kind. */
export interface SecretFinding {
  readonly kind: string;
  /** Offsets in the text as it came in, end excluded. */
  readonly start: number;
  readonly end: number;
}

/** Finders only look; `redactSecrets` merges what they found. Every one of them takes time linear in the text. */
export type SecretFinder = (text: string) => Iterable<SecretFinding>;
