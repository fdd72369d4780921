/**
 * Fast prices of one model at one time: the table's own calculation takes about 70 µs per call, and a run has thousands. Between
 * two thresholds the price is linear in the tokens, so four lookups in the table give the rates of that segment.
 *
 * - `new Rates(ask, thresholds)`, `cost(tokens)` the same as `ask(tokens)`, up to rounding.
 */

/** Tokens of one request; `input` includes cached tokens. */
export interface RequestTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

type Ask = (tokens: RequestTokens) => number | null;

interface Segment {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export class Rates {
  readonly #ask: Ask;
  readonly #thresholds: readonly number[];
  readonly #segments = new Map<number, Segment | null>();

  constructor(ask: Ask, thresholds: readonly number[]) {
    this.#ask = ask;
    this.#thresholds = [...new Set(thresholds)].sort((a, b) => a - b);
  }

  cost(tokens: RequestTokens): number | null {
    // At a threshold, the table decides to which side it belongs.
    if (this.#thresholds.some((start) => Math.abs(tokens.input - start) <= 2)) return this.#ask(tokens);
    const place = this.#thresholds.filter((start) => start < tokens.input).length;
    let segment = this.#segments.get(place);
    if (segment === undefined) {
      segment = this.#measure(place);
      this.#segments.set(place, segment);
    }
    if (!segment) return null;
    const plain = tokens.input - tokens.cacheRead - tokens.cacheWrite;
    return (
      plain * segment.input +
      tokens.output * segment.output +
      tokens.cacheRead * segment.cacheRead +
      tokens.cacheWrite * segment.cacheWrite
    );
  }

  #measure(place: number): Segment | null {
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
