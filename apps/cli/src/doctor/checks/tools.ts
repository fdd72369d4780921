/**
 * The programs that Devflow uses. Only git is always required; without Chromium there is a warning. tmux and the agents are
 * only reported: this version drives fake agents, which need neither.
 */
import { version } from "@devflow/core/version";
import { isAtLeast } from "@devflow/core/version-order";
import { isOldGit, minimumGitVersion } from "@devflow/git";
import { isCompiled } from "../../server/self.ts";
import { type Check, fail, pass, warn } from "../check.ts";
import { findExecutable, installCommand, versionOf } from "../executables.ts";

const minimumBun = "1.4.0";

export const checkRuntime: Check = {
  name: "devflow",
  run: async () => {
    const how = isCompiled() ? "executable" : `source on Bun ${Bun.version}`;
    const detail = `${version}, ${how}, ${process.platform}-${process.arch}`;
    if (!isAtLeast(Bun.version, minimumBun)) return fail(detail, `Bun ${minimumBun} or newer: npm run setup`);
    return pass(detail);
  },
};

export const checkGit: Check = {
  name: "git",
  run: async ({ env }) => {
    const path = await findExecutable(["git"], env);
    if (!path) return fail("not found", installCommand("git"));
    const found = await versionOf(path, ["--version"], /(\d+\.\d+(?:\.\d+)?)/);
    if (!found) return fail(`${path} does not report its version`, installCommand("git"));
    if (isOldGit(found)) return fail(`${found} is older than ${minimumGitVersion}`, installCommand("git"));
    return pass(found);
  },
};

const notUsed = "not installed, and not needed: this version drives only fake agents";

export const checkTmux: Check = {
  name: "tmux",
  run: async ({ env }) => {
    const path = await findExecutable(["tmux"], env);
    return pass(path ? ((await versionOf(path, ["-V"], /(\d+\.\d+)/)) ?? path) : notUsed);
  },
};

const chromiumNames = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const chromiumPaths = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

export const checkChromium: Check = {
  name: "chromium",
  run: async ({ env }) => {
    const path = await findExecutable([...chromiumNames, ...chromiumPaths], env);
    return path ? pass(path) : warn("not found; `devflow browse` needs it", installCommand("chromium"));
  },
};

const agentCheck = (name: string): Check => ({
  name,
  run: async ({ env }) => pass((await findExecutable([name], env)) ?? notUsed),
});

export const checkClaude = agentCheck("claude");
export const checkCodex = agentCheck("codex");
