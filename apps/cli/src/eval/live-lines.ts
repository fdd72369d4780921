/**
 * Lines that are drawn again in place, on a terminal.
 *
 * - `liveLines(output)` `draw(lines)` at most every `everyMs`, the last lines always; `wipe()` the codes that take them
 *   away, to be printed before whatever comes next.
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
      // A line that takes two rows would leave its first one behind; the ends of colours are kept by cutting the text.
      // What is above the top of the screen cannot be reached again either.
      const seen = lines.slice(0, Math.max(3, (process.stdout.rows ?? 60) - 1));
      const fit = seen.map((line) =>
        Bun.stringWidth(line) > output.columns ? fitted(Bun.stripANSI(line), output.columns) : line,
      );
      output.item(null, `${wipe()}${fit.join("\n")}\n`);
      drawn = fit.length;
    },
  };
}
