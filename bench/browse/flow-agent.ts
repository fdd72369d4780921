/**
 * An agent that knows only what a tool's skill text says, and acts on what it has read.
 *
 * - `flowAgent(driver)` `does(words)` types a command and reads its answer; `ref(role, name)` the ref of an element, from what it
 *   has read, else from a new snapshot; `sees(words)` whether the page says something, from the last answer, else from a
 *   snapshot, else by reading the page.
 *
 * It counts what it typed and read, and its wrong turns: something that should be there and could not be found.
 */
import { bytesOf } from "./browse-benchmark.ts";
import type { Driver } from "./drivers.ts";

export interface FlowAgent {
  readonly bytes: number;
  readonly commands: readonly string[];
  readonly wrongTurns: readonly string[];
  does(words: readonly string[]): Promise<string>;
  ref(role: string, name: string): Promise<string>;
  sees(words: string): Promise<void>;
  /** A new page: what was read before no longer counts. */
  forgets(): void;
}

/** A tool that does not wait makes its agent look again; one that thinks before it does so may find it then. */
const mostLooks = 3;
const thoughtMs = 500;

export function flowAgent(driver: Driver): FlowAgent {
  let bytes = 0;
  let read: string[] = [];
  const commands: string[] = [];
  const wrongTurns: string[] = [];
  const does = async (words: readonly string[]): Promise<string> => {
    const { out, typed } = await driver.run(words);
    bytes += bytesOf(out) + bytesOf(typed);
    commands.push(typed);
    read.unshift(out);
    return out;
  };
  const known = (role: string, name: string): string | undefined => {
    for (const text of read) {
      try {
        return driver.refOf(text, role, name);
      } catch {
        // Not in this answer.
      }
    }
    return undefined;
  };
  return {
    get bytes() {
      return bytes;
    },
    commands,
    wrongTurns,
    does,
    async ref(role, name) {
      const found = known(role, name);
      if (found !== undefined) return found;
      for (let looks = 0; looks < mostLooks; looks++) {
        if (looks > 0) {
          wrongTurns.push(`${role} "${name}" was not there yet`);
          await Bun.sleep(thoughtMs);
        }
        await does(driver.snapshot);
        const seen = known(role, name);
        if (seen !== undefined) return seen;
      }
      throw new Error(`${driver.name} does not show ${role} "${name}":\n${read[0]}`);
    },
    async sees(words) {
      if (read[0]?.includes(words)) return;
      if ((await does(driver.snapshot)).includes(words)) return;
      if ((await does(driver.eval("document.body.innerText"))).includes(words)) return;
      wrongTurns.push(`"${words}" was not seen`);
    },
    forgets() {
      read = [];
    },
  };
}
