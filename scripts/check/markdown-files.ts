/** Every Markdown file of the project, except in installed packages and fixtures. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Page {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

const leftOut = new Set(["node_modules", "dist", "fixtures", ".cache", ".git", "coverage", ".devflow"]);

export function readPages(root: string, folder = ""): Page[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) return leftOut.has(entry.name) ? [] : readPages(root, path);
    return entry.name.endsWith(".md") ? [{ path, text: readFileSync(join(root, path), "utf8") }] : [];
  });
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
