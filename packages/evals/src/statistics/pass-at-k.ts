/**
 * Repeats in one run, by the unbiased estimators (Chen 2021). Null when there are fewer results than k.
 *
 * - `passAtK(results, passes, k)` the chance that at least one of k tries passes.
 * - `passHatK(results, passes, k)` the chance that all k tries pass.
 */
export function passAtK(results: number, passes: number, k: number): number | null {
  const allFail = allOf(results, results - passes, k);
  return allFail === null ? null : 1 - allFail;
}

export function passHatK(results: number, passes: number, k: number): number | null {
  return allOf(results, passes, k);
}

/** C(of, k) / C(results, k), as a product: no factorial, no overflow. */
function allOf(results: number, of: number, k: number): number | null {
  if (k < 1 || k > results) return null;
  let product = 1;
  for (let i = 0; i < k; i++) product *= Math.max(0, of - i) / (results - i);
  return product;
}
