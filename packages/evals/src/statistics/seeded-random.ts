/**
 * Random numbers that are the same on every machine for the same seed, so that a verdict is reproducible.
 *
 * - `seededRandom(seed)` sfc32, seeded from any string or number.
 */
export interface SeededRandom {
  /** A 32-bit integer. */
  bits(): number;
  /** In [0, 1). */
  fraction(): number;
  /** An integer in [0, limit). */
  below(limit: number): number;
}

export function seededRandom(seed: string | number): SeededRandom {
  let state = 2166136261;
  for (const character of String(seed)) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619);
  const word = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) | 0;
  };
  let a = word();
  let b = word();
  let c = word();
  let counter = 1;
  const bits = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) bits();
  return {
    bits,
    fraction: () => bits() / 4294967296,
    below: (limit) => Math.floor((bits() / 4294967296) * limit),
  };
}
