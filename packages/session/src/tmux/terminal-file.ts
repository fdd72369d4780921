/**
 * What a holder keeps about its agent's terminal across its own death: `terminal.json` in the session's folder.
 *
 * - `openTerminalFile(root)` → `kept` what is there; `keep(changes)` writes it, with these members changed.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileSyncAtomic } from "../holder/write-file-sync-atomic.ts";

interface TerminalState {
  readonly agentSessionId?: string;
  /** Where in the record the current turn began. */
  readonly offset?: number;
  /** The prompt that is being typed. */
  readonly typing?: string | undefined;
}

export interface TerminalFile {
  readonly kept: TerminalState;
  keep(changes: TerminalState): void;
}

export function openTerminalFile(root: string): TerminalFile {
  const path = join(root, "terminal.json");
  let kept: TerminalState = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as TerminalState) : {};
  return {
    get kept() {
      return kept;
    },
    keep(changes) {
      kept = { ...kept, ...changes };
      writeFileSyncAtomic(path, JSON.stringify(kept));
    },
  };
}
