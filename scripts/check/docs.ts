/**
 * Checks that the docs are correct.
 *
 * - `docsFaults(root)` command lines that would not work, broken links, paths that do not exist, a package without a README.
 *   No pages at all is an error too.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "@devflow/cli/commands";
import { commandLineFaults } from "./command-lines.ts";
import { linkFaults, pathFaults } from "./links.ts";
import { readPages } from "./markdown-files.ts";

const needed = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/ARCHITECTURE.md", "docs/CONTEXT.md"];

export async function docsFaults(root: string): Promise<string[]> {
  const commands = await allCommands();
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
  const scripts = Object.keys(manifest.scripts);
  const pages = readPages(root);
  const missing = [...needed, ...readmes(root)].filter((path) => !existsSync(join(root, path)));
  return [
    ...missing.map((path) => `${path} is missing`),
    ...pages.flatMap((page) => [
      ...commandLineFaults(page, commands, scripts),
      ...linkFaults(page, root),
      ...(page.path === "CONTRIBUTING.md" ? pathFaults(page, root) : []),
    ]),
  ];
}

function readmes(root: string): string[] {
  return readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`);
}
