/**
 * Prices of one model at one moment, fast: the table's own arithmetic takes about 70 µs a call, and a run has thousands.
 * Between two thresholds a price is linear in the tokens, so four questions to the table give the rates of that stretch.
 *
 * - `new Rates(ask, thresholds)`, `cost(tokens)` the same figure as `ask(tokens)`, to the last digits of a float.
 */

/** Of one request; `input` contains the cached ones. */
export interface RequestTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

type Ask = (tokens: RequestTokens) => number | null;

interface Stretch {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export class Rates {
  readonly #ask: Ask;
  readonly #thresholds: readonly number[];
  readonly #stretches = new Map<number, Stretch | null>();

  constructor(ask: Ask, thresholds: readonly number[]) {
    this.#ask = ask;
    this.#thresholds = [...new Set(thresholds)].sort((a, b) => a - b);
  }

  cost(tokens: RequestTokens): number | null {
    // On a threshold itself only the table knows which side it belongs to.
    if (this.#thresholds.some((start) => Math.abs(tokens.input - start) <= 2)) return this.#ask(tokens);
    const place = this.#thresholds.filter((start) => start < tokens.input).length;
    let stretch = this.#stretches.get(place);
    if (stretch === undefined) {
      stretch = this.#measure(place);
      this.#stretches.set(place, stretch);
    }
    if (!stretch) return null;
    const plain = tokens.input - tokens.cacheRead - tokens.cacheWrite;
    return (
      plain * stretch.input +
      tokens.output * stretch.output +
      tokens.cacheRead * stretch.cacheRead +
      tokens.cacheWrite * stretch.cacheWrite
    );
  }

  #measure(place: number): Stretch | null {
    const above = this.#thresholds[place - 1] ?? 0;
    const below = this.#thresholds[place] ?? above + 2_000_000;
    const input = (above + below) / 2;
    const none = { input, output: 0, cacheRead: 0, cacheWrite: 0 };
    const plain = this.#ask(none);
    const output = this.#ask({ ...none, output: 1_000_000 });
    const cacheRead = this.#ask({ ...none, cacheRead: input });
    const cacheWrite = this.#ask({ ...none, cacheWrite: input });
    if (plain === null || output === null || cacheRead === null || cacheWrite === null) return null;
    return {
      input: plain / input,
      output: (output - plain) / 1_000_000,
      cacheRead: cacheRead / input,
      cacheWrite: cacheWrite / input,
    };
  }
}
