/**
 * Where the artifacts of a run are: always inside `artifacts/` of the run's folder.
 *
 * - `artifactFolder(runFolder)` that folder.
 * - `artifactPath({ … })` the file of one instance of a phase; `{role}`, `{lane}` and `{attempt}` are filled in.
 * - `pathPlaceholders(path)` the placeholders of a template's path, for validation.
 */
import { join, relative, sep } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";

export const knownPathPlaceholders = ["role", "lane", "attempt"] as const;

export interface ArtifactPlace {
  readonly folder: string;
  /** As in the template: `review-{role}.json`. */
  readonly path: string;
  /** The instance: `reviewer#1`. */
  readonly role: string;
  readonly lane: string;
  readonly attempt: number;
  /** How many instances write in this phase; several never share a file. */
  readonly instances: number;
}

export const artifactFolder = (runFolder: string): string => join(runFolder, "artifacts");

export function artifactPath({ folder, path, role, lane, attempt, instances }: ArtifactPlace): string {
  const used = pathPlaceholders(path);
  // A lane is a run with its own folder, so only instances can share a file.
  const suffix = instances > 1 && !used.includes("role") ? "-{role}" : "";
  const values: Readonly<Record<string, string>> = {
    role: safeName(role),
    lane: safeName(lane),
    attempt: String(attempt),
  };
  const named = suffix ? path.replace(/(\.[^./{}]+)?$/, (end) => `${suffix}${end}`) : path;
  const filled = named.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
  const full = join(folder, filled);
  const inside = relative(folder, full);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || /[{}\0]/.test(filled)) throw outside(path);
  return full;
}

export function pathPlaceholders(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
}

/** `reviewer#1` is `reviewer-1`. Unsafe characters are replaced, and a hash keeps different names different. */
function safeName(name: string): string {
  const plain = name.replace(/#(\d+)$/, "-$1");
  const safe = plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 60);
  return safe === plain && safe !== "" ? safe : `${safe}-${hashBytes(name).slice(0, 8)}`;
}

const outside = (path: string): DevflowError =>
  new DevflowError("internal_state_corruption", {
    details: { problem: `the artifact path is not valid: ${path}` },
  });
