/**
 * Lines on a terminal that are redrawn in place.
 *
 * - `draw(lines)` draws at most every `everyMs`, and always if `isLast`; `wipe()` returns the codes that erase the lines, to
 *   be printed before the next output.
 */
import type { Output } from "@devflow/core/command";
import { fitted } from "../fitted.ts";

export interface LiveLines {
  draw(lines: readonly string[], options?: { readonly isLast?: boolean }): void;
  wipe(): string;
}

const everyMs = 80;

export function liveLines(output: Output): LiveLines {
  let drawn = 0;
  let drawnAtMs = 0;
  const wipe = () => {
    const codes = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : "";
    drawn = 0;
    return codes;
  };
  return {
    wipe,
    draw(lines, { isLast = false } = {}) {
      const nowMs = Date.now();
      if (!isLast && nowMs - drawnAtMs < everyMs) return;
      drawnAtMs = nowMs;
      // A line that wraps to two rows would leave its first row behind, so long lines are cut, without colours: the cut
      // could remove a reset code. Rows above the top of the screen cannot be erased either.
      const seen = lines.slice(0, Math.max(3, (process.stdout.rows ?? 60) - 1));
      const fit = seen.map((line) =>
        Bun.stringWidth(line) > output.columns ? fitted(Bun.stripANSI(line), output.columns) : line,
      );
      output.item(null, `${wipe()}${fit.join("\n")}\n`);
      drawn = fit.length;
    },
  };
}
