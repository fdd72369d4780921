/**
 * In which part of a page something is: its content, or what stands around that on every page of a site.
 *
 * - `landmarkOf(tree, node)` pure: the role of what is around the content and holds it; undefined for the content.
 * - `namesOf(landmarks)` pure: `navigation and footer`; undefined where one of them is the content.
 */
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";

export type Landmark = keyof typeof names;

const names = { banner: "header", navigation: "navigation", complementary: "sidebar", contentinfo: "footer" } as const;
const content = new Set(["main", "dialog", "alertdialog"]);

export const isLandmark = (role: string): role is Landmark => Object.hasOwn(names, role);

export function landmarkOf({ nodes }: PageTree, { index }: PageNode): Landmark | undefined {
  let found: Landmark | undefined;
  for (let at = index; at >= 0; at = nodes[at]!.parent) {
    const { role } = nodes[at]!;
    if (content.has(role)) return undefined;
    if (isLandmark(role)) found ??= role;
  }
  return found;
}

export function namesOf(landmarks: readonly (Landmark | undefined)[]): string | undefined {
  if (landmarks.length === 0 || landmarks.includes(undefined)) return undefined;
  const found = Object.entries(names).flatMap(([role, name]) => (landmarks.includes(role as Landmark) ? [name] : []));
  return [found.slice(0, -1).join(", "), found.at(-1)].filter(Boolean).join(" and ");
}
