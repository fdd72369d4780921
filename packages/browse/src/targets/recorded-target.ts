/**
 * An element as a journal of evidence remembers it, given to a command in place of a ref when the journal is re-run.
 *
 * - `recordedWord(target)` the word; `parseRecorded(word)` back, undefined when it is none.
 * - `recordedFrame(tab, target)` the frame it is in now; throws `browse_no_match`.
 */
import { DevflowError } from "@devflow/core/errors";
import type { ElementHandle, Frame } from "playwright-core";
import { z } from "zod";
import type { Tab } from "../command.ts";

const prefix = "recorded=";
const shape = z.object({
  frames: z.array(z.int().min(0)).max(20),
  selector: z.string().min(1),
  role: z.string(),
  name: z.string(),
});

export interface RecordedTarget extends Readonly<z.output<typeof shape>> {
  readonly kind: "recorded";
}

export function recordedWord({ frames, selector, role, name }: z.output<typeof shape>): string {
  return `${prefix}${JSON.stringify({ frames, selector, role, name })}`;
}

export function parseRecorded(word: string): RecordedTarget | undefined {
  if (!word.startsWith(prefix)) return undefined;
  try {
    return { kind: "recorded", ...shape.parse(JSON.parse(word.slice(prefix.length))) };
  } catch (cause) {
    const reason = "it is not what a journal of evidence holds";
    throw new DevflowError("browse_target_invalid", { details: { target: JSON.stringify(word), reason }, cause });
  }
}

export async function recordedFrame(tab: Tab, { frames, role, name }: RecordedTarget): Promise<Frame> {
  let frame: Frame | null = tab.page.mainFrame();
  for (const index of frames) {
    const handle: ElementHandle | null = await frame
      .locator("iframe, frame")
      .nth(index)
      .elementHandle({ timeout: 5_000 })
      .catch(() => null);
    frame = (await handle?.contentFrame()) ?? null;
    if (!frame) {
      const target = `${role} ${JSON.stringify(name)} in a frame that is not there`;
      throw new DevflowError("browse_no_match", { details: { target, closest: "" } });
    }
  }
  return frame;
}
