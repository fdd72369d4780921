/**
 * Devflow's hooks: whether the agents' settings call this program, whether that call arrives, and what went wrong in the last day.
 *
 * The self-test runs the command that stands in the settings as the agent would, with an event that does nothing, and looks whether it
 * left its mark.
 */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { environmentOf } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import { hookHostNames, hookHosts, installedHooks } from "@devflow/skills/hosts";
import { codexTrust } from "../../hooks/codex-trust.ts";
import { hookFaults, lastFired, selfTestedAt } from "../../hooks/hook-log.ts";
import { settingsOf } from "../../hooks/settings-place.ts";
import { duration } from "../../server/status.ts";
import { type Check, type CheckContext, type Finding, fail, pass, warn } from "../check.ts";

const dayMs = 24 * 3_600_000;
const selfTestMs = 5_000;

export const checkHooks: Check = {
  name: "hooks",
  run: async (context) => {
    const findings: Finding[] = [];
    for (const host of hookHostNames) findings.push(...(await checkHost(host, context)));
    if (findings.length === 0) return pass("not installed (devflow hooks install --host claude)");
    const worst = findings.find(({ status }) => status === "fail") ?? findings.find(({ status }) => status === "warn");
    const detail = (worst ? findings.filter(({ status }) => status !== "pass") : findings).map((one) => one.detail);
    if (worst) return { ...worst, detail: detail.join("; ") };
    return faultsOf(context) ?? pass(detail.join("; "));
  },
};

async function checkHost(host: (typeof hookHostNames)[number], { inspection, env }: CheckContext): Promise<Finding[]> {
  const home = homeAt(inspection.home);
  const { title } = hookHosts[host];
  const place = { cwd: home.root, env, signal: AbortSignal.timeout(selfTestMs), inspectConfig: () => inspection };
  const { file } = await settingsOf({ host, project: false }, place);
  const [first] = await installedHooks(file);
  if (!first) return [];
  const again = `devflow hooks install --host ${host}`;
  if (["0", "false", "off", "no"].includes(environmentOf(env).DEVFLOW_HOOKS ?? "")) {
    return [warn(`${title}: DEVFLOW_HOOKS turns hooks off in this environment`, "unset DEVFLOW_HOOKS")];
  }
  const before = selfTestedAt(home, host);
  const said = await runSelfTest(first.command, env);
  if (selfTestedAt(home, host) === before) {
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
