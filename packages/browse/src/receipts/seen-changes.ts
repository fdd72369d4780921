/**
 * What an action changed that has no words: drawings, media, styles.
 *
 * - `seenChanges(before, after)` pure: one line for each.
 */
import type { FrameVersion } from "../page-world/questions.ts";

type Seen = Pick<FrameVersion, "version" | "looks" | "touched">;

export function seenChanges(before: Seen, after: Seen): string[] {
  const known = before.looks ?? [];
  const looks = (after.looks ?? []).flatMap(({ what, state }, at) => {
    const was = known[at];
    if (!was || was.state === state) return [];
    return [what.startsWith("<canvas") ? `${what} was drawn on` : `${what} ${was.state} → ${state}`];
  });
  const touched = after.touched.filter(({ version }) => version > before.version).map(({ what }) => what);
  const styles = touched.length === 0 ? [] : [`changed without words: ${touched.join(", ")}; see it: screenshot`];
  return [...looks, ...styles];
}
