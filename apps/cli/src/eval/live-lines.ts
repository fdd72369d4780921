/**
 * Lines that are drawn again in place, on a terminal.
 *
 * - `liveLines(output)` `draw(lines)` at most every `everyMs`, the last lines always; `end()` takes them away.
 */
import type { Output } from "@devflow/core/command";
import { fitted } from "../run/plain-text.ts";

export interface LiveLines {
  draw(lines: readonly string[], options?: { readonly isLast?: boolean }): void;
  end(): void;
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
    end() {
      // The line break that ends every item would leave an empty row; one row up makes room for it.
      if (drawn > 0) output.item(null, `${wipe()}\u001b[1A\n`);
    },
    draw(lines, { isLast = false } = {}) {
      const nowMs = Date.now();
      if (!isLast && nowMs - drawnAtMs < everyMs) return;
      drawnAtMs = nowMs;
      // A line that takes two rows would leave its first one behind; the ends of colours are kept by cutting the text.
      const fit = lines.map((line) =>
        Bun.stringWidth(line) > output.columns ? fitted(plain(line), output.columns) : line,
      );
      output.item(null, `${wipe()}${fit.join("\n")}\n`);
      drawn = fit.length;
    },
  };
}

const plain = (text: string): string => Bun.stripANSI(text);
