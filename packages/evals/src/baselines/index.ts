/** Baselines that are committed with the code; see `baseline.ts`. */
export {
  type Baseline,
  type BaselineCase,
  type BaselineCell,
  type BaselineTier,
  baselineOf,
  parseBaseline,
  renderBaseline,
} from "./baseline.ts";
export { type BaselineChoice, baselineFor, bless } from "./bless.ts";
