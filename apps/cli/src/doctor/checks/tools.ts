/**
 * The programs that Devflow uses. Only git is always required; without Chromium, or without any agent, there is a warning.
 */

import { findExecutable } from "@devflow/core/find-executable";
import { version } from "@devflow/core/version";
import { isAtLeast } from "@devflow/core/version-order";
import { isOldGit, minimumGitVersion } from "@devflow/git/version";
import { isCompiled } from "../../server/self.ts";
import { type Check, fail, pass, warn } from "../check.ts";
import { installCommand, versionOf } from "../executables.ts";

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

export const checkTmux: Check = {
  name: "tmux",
  run: async ({ env }) => {
    const path = await findExecutable(["tmux"], env);
    if (path) return pass((await versionOf(path, ["-V"], /(\d+\.\d+)/)) ?? path);
    return pass(`not installed; without it agents run without a screen (${installCommand("tmux")})`);
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

/** One agent is enough: the other one may be missing. */
const agentCheck = (name: string, other: string, known: string, install: string): Check => ({
  name,
  run: async ({ env }) => {
    const path = await findExecutable([name], env);
    if (!path) {
      const isOther = (await findExecutable([other], env)) !== undefined;
      return isOther ? pass(`not installed; ${other} is`) : warn("not installed; runs need an agent", install);
    }
    const found = await versionOf(path, ["--version"], /(\d+\.\d+\.\d+)/);
    if (!found) return warn(`${path} does not report its version`, install);
    return pass(isAtLeast(known, found) ? found : `${found}, newer than ${known}, with which Devflow was tested`);
  },
});

export const checkClaude = agentCheck("claude", "codex", "2.1.325", "npm install -g @anthropic-ai/claude-code");
export const checkCodex = agentCheck("codex", "claude", "0.166.0", "npm install -g @openai/codex");
