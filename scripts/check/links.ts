/**
 * Checks links and paths in the docs.
 *
 * - `linkFaults(page, root)` relative links to a missing file or heading.
 * - `pathFaults(page, root)` paths in tables that do not exist; `<any>` matches one name.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";
import { lineAt, type Page } from "./markdown-files.ts";

export function linkFaults(page: Page, root: string): string[] {
  const text = withoutCode(page.text);
  const links = [...text.matchAll(/!?\[[^\]]*\]\(([^)\s]+)(?: "[^"]*")?\)|\ssrc="([^"]+)"/g)];
  return links.flatMap((match) => {
    const target = match[1] ?? match[2] ?? "";
    if (/^[a-z]+:/i.test(target)) return [];
    const [path = "", heading] = target.split("#");
    const file = path === "" ? page.path : normalize(join(dirname(page.path), path));
    const where = `${page.path}:${lineAt(page.text, match.index)}`;
    if (!existsSync(join(root, file))) return [`${where} links to ${target}, but there is no ${file}`];
    if (heading && !headingsOf(root, file).has(heading))
      return [`${where} links to ${target}, but ${file} has no such heading`];
    return [];
  });
}

export function pathFaults(page: Page, root: string): string[] {
  const rows = [...page.text.matchAll(/^\|.*\|$/gm)];
  return rows.flatMap((row) =>
    [...row[0].matchAll(/`([\w.@<>*-]+(?:\/[\w.@<>*-]+)+\/?)`/g)].flatMap(([, path = ""]) => {
      if (path.startsWith("@")) return [];
      const isThere =
        existsSync(join(root, path)) || (/[<*]/.test(path) && hasMatch(path.replace(/<\w+>/g, "*"), root));
      return isThere ? [] : [`${page.path}:${lineAt(page.text, row.index)} names ${path}, which does not exist`];
    }),
  );
}

function hasMatch(pattern: string, root: string): boolean {
  for (const _path of new Glob(pattern).scanSync({ cwd: root, onlyFiles: false })) return true;
  return false;
}

function headingsOf(root: string, file: string): Set<string> {
  if (statSync(join(root, file)).isDirectory()) return new Set();
  const text = readFileSync(join(root, file), "utf8");
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => slug(heading));
  const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  return new Set([...headings, ...anchors]);
}

/** As GitHub makes them: lower case, spaces as dashes, other characters removed. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, " "));
}
