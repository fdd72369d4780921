/** A range of text that is a secret, and its kind. */
export interface SecretFinding {
  readonly kind: string;
  /** Offsets in the original text, end excluded. */
  readonly start: number;
  readonly end: number;
}

/** Finders only search; `redactSecrets` merges their findings. Each takes linear time. */
export type SecretFinder = (text: string) => Iterable<SecretFinding>;
