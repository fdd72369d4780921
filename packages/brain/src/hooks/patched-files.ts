/**
 * The files that a patch of Codex (`apply_patch`) names, each with its added lines, by which its place in the file is found.
 */
export interface PatchedFile {
  readonly path: string;
  /** The first run of added lines; undefined for a new file, which is changed as a whole. */
  readonly part?: string;
  readonly isGone: boolean;
}

export function patchedFiles(patch: string): PatchedFile[] {
  const files: { path: string; kind: string; added: string[]; isRunning: boolean }[] = [];
  for (const line of patch.split("\n")) {
    const [, kind, path] = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(line) ?? [];
    const moved = /^\*\*\* Move to: (.+?)\s*$/.exec(line)?.[1];
    const file = files.at(-1);
    if (kind !== undefined && path !== undefined) files.push({ path, kind, added: [], isRunning: true });
    else if (moved !== undefined && file) {
      files.push({ ...file, kind: "Delete" }, { path: moved, kind: "Update", added: [], isRunning: true });
      files.splice(files.indexOf(file), 1);
    } else if (file?.isRunning && line.startsWith("+")) file.added.push(line.slice(1));
    else if (file && file.added.length > 0) file.isRunning = false;
  }
  return files.map(({ path, kind, added }) => ({
    path,
    isGone: kind === "Delete",
    ...(kind === "Update" && added.length > 0 ? { part: added.join("\n") } : {}),
  }));
}
