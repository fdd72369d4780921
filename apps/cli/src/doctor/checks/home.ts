/** The home folder, its settings and its disk. */
import { constants } from "node:fs";
import { access, lstat, mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openTo } from "@devflow/core/private-home";
import { type Check, fail, pass, warn } from "../check.ts";

export const checkConfig: Check = {
  name: "config",
  run: async ({ inspection: { faults, warnings, home } }) => {
    const listed = [...faults, ...warnings]
      .map(({ key, source, problem }) => `${key} (${source}): ${problem}`)
      .join("; ");
    if (faults.length > 0) return fail(listed, "devflow config list, then devflow config set <key> <value>");
    if (warnings.length > 0) return warn(listed, "remove or rename it");
    return pass(`valid, home ${home}`);
  },
};

export const checkHome: Check = {
  name: "home",
  run: async ({ inspection: { home } }) => {
    const found = await lstat(home).catch(() => undefined);
    if (!found) return pass(`${home} does not exist yet`);
    const problem = openTo(found.mode);
    const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
    return problem ? fail(`${home} has mode ${mode}: ${problem}`, `chmod 700 ${home}`) : pass(`${home}, only yours`);
  },
};

export const checkWorkspace: Check = {
  name: "workspace",
  run: async ({ inspection: { config, home } }) => {
    const root = config?.workspaceRoot ?? join(home, "workspaces");
    const probe = join(root, `.doctor-${process.pid}`);
    try {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await writeFile(probe, "", { flag: "wx" });
      await rm(probe);
    } catch (error) {
      return fail(`${root} is not writable: ${(error as Error).message}`, "devflow config set workspace_root <folder>");
    }
    return pass(`${root} is writable`);
  },
};

const gigabyte = 1e9;

export const checkDisk: Check = {
  name: "disk",
  run: async ({ inspection: { config, home } }) => {
    const folder = await nearestExisting(config?.workspaceRoot ?? home);
    const { bavail, bsize } = await statfs(folder);
    return judgeDisk((bavail * bsize) / gigabyte);
  },
};

/** Below 2 GB nothing should be started; below 5 it will fail soon; below 10 a note is due. */
export function judgeDisk(freeGb: number) {
  const detail = `${freeGb.toFixed(1)} GB free`;
  if (freeGb < 2) return fail(detail, "Free some space before starting anything");
  if (freeGb < 5) return warn(detail, "Free some space soon; worktrees and artifacts grow");
  return pass(detail, freeGb < 10 ? "Watch it: worktrees and artifacts grow" : "");
}

async function nearestExisting(path: string): Promise<string> {
  for (let current = path; ; current = dirname(current)) {
    const isThere = await access(current, constants.F_OK).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(current) === current) return current;
  }
}
