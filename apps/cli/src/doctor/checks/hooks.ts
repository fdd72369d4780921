/**
 * Devflow's hooks: whether the agents' settings, in the home and in the repository, call this program, whether that call arrives, what is
 * wrong with the repository's own settings for hooks, and what went wrong in the last day.
 *
 * The self-test runs the command that stands in the settings as the agent would, with an event that does nothing, and looks whether it
 * left its mark.
 */
import { spawn } from "node:child_process";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { hookSettings } from "@devflow/brain/hooks";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { findCheckout } from "@devflow/git/checkout";
import { type HookEntry, hookHostNames, hookHosts, installedHooks, settingsFile } from "@devflow/skills/hosts";
import { duration } from "../../data/amounts.ts";
import { codexTrust } from "../../hooks/codex-trust.ts";
import { forgetSelfTest, hasSelfTested, hookFaults, lastFired } from "../../hooks/hook-log.ts";
import { type Check, type CheckContext, type Finding, fail, pass, warn } from "../check.ts";

const dayMs = 24 * 3_600_000;
const selfTestMs = 5_000;

export const checkHooks: Check = {
  name: "hooks",
  run: async (context) => {
    const findings: Finding[] = [];
    const root = findCheckout(context.cwd)?.root;
    for (const host of hookHostNames) {
      findings.push(...(await checkHost(host, context)));
      if (root !== undefined) findings.push(...(await checkHost(host, context, root)));
    }
    if (root !== undefined) findings.push(...(await checkSettings(root)));
    if (findings.length === 0) return pass("not installed (devflow hooks install --host claude)");
    const worst = findings.find(({ status }) => status === "fail") ?? findings.find(({ status }) => status === "warn");
    const detail = (worst ? findings.filter(({ status }) => status !== "pass") : findings).map((one) => one.detail);
    if (worst) return { ...worst, detail: detail.join("; ") };
    return faultsOf(context) ?? pass(detail.join("; "));
  },
};

async function checkHost(
  host: (typeof hookHostNames)[number],
  { inspection, env }: CheckContext,
  project?: string,
): Promise<Finding[]> {
  const home = homeAt(inspection.home);
  const title = `${hookHosts[host].title}${project === undefined ? "" : " in this repository"}`;
  const file = settingsFile(host, { home: env.HOME || homedir(), env, ...(project === undefined ? {} : { project }) });
  const again = `devflow hooks install --host ${host}${project === undefined ? "" : " --project"}`;
  let first: HookEntry | undefined;
  try {
    [first] = await installedHooks(file);
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    return [warn(`${title}: ${error.message}`, `fix ${file}`)];
  }
  if (!first) return [];
  if (["0", "false", "off", "no"].includes(environmentOf(env).DEVFLOW_HOOKS ?? "")) {
    return [warn(`${title}: DEVFLOW_HOOKS turns hooks off in this environment`, "unset DEVFLOW_HOOKS")];
  }
  forgetSelfTest(home, host);
  const said = await runSelfTest(first.command, env);
  if (!hasSelfTested(home, host)) {
    return [fail(`${title}: the command in ${file} does not reach Devflow${said === "" ? "" : ` (${said})`}`, again)];
  }
  const fired = lastFired(home, host);
  const last = fired ? `last fired ${duration(Date.now() - fired.atMs)} ago` : "not fired yet";
  const untrusted = host === "codex" ? await codexTrust(env) : undefined;
  if (untrusted !== undefined && untrusted > 0) {
    return [
      warn(
        `${title}: ${untrusted} hooks are not trusted, so it skips them`,
        "start codex, type /hooks, and trust those of Devflow",
      ),
    ];
  }
  return [pass(`${title}: self-test passed, ${last}`)];
}

/** What is wrong there turns nothing off. */
async function checkSettings(root: string): Promise<Finding[]> {
  const file = join(root, ".devflow.json");
  const text = await readIfThere(file);
  if (text === undefined) return [];
  const content = parseJson(text);
  const faults = content === undefined ? ["it is not valid JSON"] : hookSettings(content).faults;
  return faults.length === 0 ? [] : [warn(`.devflow.json: ${faults.join("; ")}`, `fix ${file}; see docs/hooks.md`)];
}

function faultsOf({ inspection }: CheckContext): Finding | undefined {
  const home = homeAt(inspection.home);
  const faults = hookFaults(home, Date.now() - dayMs);
  const last = faults.at(-1);
  return (
    last &&
    warn(
      `${faults.length} failed in the last day, the last one (${last.host} ${last.moment}): ${last.problem}`,
      `see ${home.hooksLog}`,
    )
  );
}

/** With the moment replaced; what it prints on standard error is the reason when it does not arrive. */
function runSelfTest(command: string, env: CheckContext["env"]): Promise<string> {
  const own = command.replace(/ hook (\S+) \S+/, " hook $1 self-test").replace("2>/dev/null", "");
  const child = spawn("sh", ["-c", own], { env: { ...env }, stdio: ["pipe", "ignore", "pipe"], timeout: selfTestMs });
  return new Promise((resolve) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (said.length < 500) said += chunk.toString("utf8");
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", () => resolve(said.trim().split("\n").at(-1) ?? ""));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ session_id: "self-test", cwd: tmpdir(), hook_event_name: "SelfTest" }));
  });
}
