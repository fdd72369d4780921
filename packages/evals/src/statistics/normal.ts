/**
 * The normal distribution.
 *
 * - `normalTail(z)` P(Z > z), accurate far into the tail.
 * - `normalQuantile(p)` the z with P(Z ≤ z) = p.
 * - `z95` the two-sided 95 % point, `zPower80` the one-sided 80 % point.
 */
import { incompleteGammaTail } from "./incomplete-gamma.ts";

export const z95 = 1.959963984540054;
export const zPower80 = 0.8416212335729143;

export function normalTail(z: number): number {
  if (z === 0) return 0.5;
  const outside = incompleteGammaTail(0.5, (z * z) / 2) / 2;
  return z > 0 ? outside : 1 - outside;
}

export function normalQuantile(p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY;
  if (p >= 1) return Number.POSITIVE_INFINITY;
  if (p === 0.5) return 0;
  if (p > 0.5) return -normalQuantile(1 - p);
  // The tail is convex for z > 0: Newton on its logarithm converges from any start.
  let z = Math.sqrt(-2 * Math.log(p)) - 0.3;
  if (z < 0) z = 0.01;
  for (let step = 0; step < 60; step++) {
    const tail = normalTail(z);
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    const change = ((Math.log(tail) - Math.log(p)) * tail) / density;
    z += change;
    if (Math.abs(change) < 1e-14 * Math.max(1, z)) break;
  }
  return -z;
}
