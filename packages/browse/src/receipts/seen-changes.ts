/**
 * What an action changed besides the words on the page: its title, drawings, media, styles.
 *
 * - `seenChanges(before, after)` pure: one line for each.
 */
import type { FrameVersion } from "../page-world/questions.ts";
import { quote } from "../snapshot/line.ts";

type Seen = Pick<FrameVersion, "document" | "version" | "title" | "looks" | "touched">;

export function seenChanges(before: Seen, after: Seen): string[] {
  const known = before.looks ?? [];
  const looks = (after.looks ?? []).flatMap(({ what, state }, at) => {
    const was = known[at];
    if (!was || was.state === state) return [];
    return [what.startsWith("<canvas") ? `${what} was drawn on` : `${what} ${was.state} → ${state}`];
  });
  const touched = after.touched.filter(({ version }) => version > before.version).map(({ what }) => what);
  const styles = touched.length === 0 ? [] : [`nothing to read changed so far, only: ${touched.join(", ")}`];
  const isSame = before.title === after.title || before.document !== after.document;
  const title = isSame ? [] : [`title ${quote(before.title, 80)} → ${quote(after.title, 80)}`];
  return [...title, ...looks, ...styles];
}
