import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDaemon, workspaceAt } from "@devflow/browse/client";
import { isSameProcess, proofOfSelf } from "@devflow/core/process-proof";
import { temporaryFolder } from "@devflow/testkit";
import { failureOf, openBrowserBench, processesNaming, until } from "./browser-bench.ts";

const page = (body: string, title = "Page") => `<!doctype html><title>${title}</title>${body}`;
const bench = await openBrowserBench({
  "/": page("<h1>Home</h1>", "Home"),
  "/other": page("<h1>Other</h1>", "Other"),
  "/tall": page(`<div style="height:5000px">tall</div>
    <script>localStorage.kept ??= "local"; sessionStorage.kept ??= "session"; document.cookie = "kept=cookie; max-age=9999";</script>`),
});
const limit = 120_000;

describe("the first command", () => {
  test(
    "starts one browser, even if several commands come at the same moment",
    async () => {
      const replies = await Promise.all([1, 2, 3].map((number) => bench.call(["js", `${number} + 1`])));
      expect(replies.map((reply) => reply.ok && reply.out.split("\n")[1])).toEqual(["2", "3", "4"]);
      const daemons = processesNaming(bench.workspace.root).filter(({ command }) => command.includes("browse-daemon"));
      expect(daemons.map(({ pid }) => pid)).toEqual([bench.daemon().pid]);
    },
    limit,
  );

  test("creates a state file that only its user can read, in a folder that git ignores", () => {
    const { folder, stateFile } = bench.workspace;
    expect(statSync(stateFile).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toStartWith("*\n!/templates/\n");
    expect(Object.keys(JSON.parse(readFileSync(stateFile, "utf8"))).sort()).toEqual(
      ["binaryVersion", "executable", "executableTime", "identity", "pid", "port", "startedAt", "token"].sort(),
    );
  });

  test(
    "the command line finds it again, and suggests the nearest command for an unknown one",
    async () => {
      const before = bench.daemon().pid;
      const { stdout } = await bench.cli(["js", "20 + 2"]);
      expect(stdout).toContain("\n22\n");
      const wrong = await bench.cli(["gotoo", "x"]);
      expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
        code: 64,
        stderr: 'There is no command "browse gotoo x".\nDid you mean: devflow browse goto\n',
      });
      expect(bench.daemon().pid).toBe(before);
    },
    limit,
  );
});

test(
  "a command fails with the same code, message, hint, details and exit code in the daemon and on the command line",
  async () => {
    for (const words of [
      ["click", "@e999"],
      ["goto", "http://127.0.0.1:1/"],
      ["tab", "t99"],
    ]) {
      const reply = await bench.call(words);
      if (reply.ok) throw new Error(`${words.join(" ")} did not fail`);
      const { code, message, hint, details, exit } = reply.error;
      const asText = await bench.cli(words);
      expect([asText.code, asText.stderr]).toEqual([exit, `${[message, hint].filter(Boolean).join("\n")}\n`]);
      const asJson = await bench.cli([...words, "--json"]);
      expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([exit, { error: { code, message, hint, details } }]);
    }
  },
  limit,
);

test(
  "a chain ends with the exit code of the step that failed, and repeats nothing that is typed",
  async () => {
    await bench.text("goto", bench.url("/other"));
    const failed = await bench.cli(["chain", "js 1", "fill '#missing' hunter2-canary", "js 3"]);
    expect(failed.code).toBe(66);
    expect(failed.stdout).toContain("2 fill #missing\nFAILED: Nothing matches #missing.");
    expect(failed.stdout).toContain("1 of 3 commands ran.");
    expect(failed.stdout).not.toContain("hunter2");
    const asJson = await bench.cli(["chain", "fill '#missing' hunter2-canary", "--json"]);
    expect([asJson.code, asJson.stdout.includes("hunter2")]).toEqual([66, false]);
  },
  limit,
);

describe("a state file", () => {
  const fake = (change: (folder: string, file: string) => void) => {
    const root = temporaryFolder();
    const workspace = workspaceAt(root);
    mkdirSync(workspace.folder, { mode: 0o700 });
    const state = { ...proofOfSelf(), port: 1, token: "t", binaryVersion: "9.9.9" };
    writeFileSync(workspace.stateFile, JSON.stringify(state), { mode: 0o600 });
    change(workspace.folder, workspace.stateFile);
    return findDaemon(workspace)?.port;
  };
  test("that is valid is used", () => expect(fake(() => {})).toBe(1));
  test("that others may read, as in a checkout, is ignored", () =>
    expect(fake((_, file) => chmodSync(file, 0o644))).toBeUndefined());
  test("of a process with another start time is ignored", () => {
    const other = { ...proofOfSelf(), identity: "another boot:1", port: 1, token: "t", binaryVersion: "0.1.0" };
    expect(fake((_, file) => writeFileSync(file, JSON.stringify(other)))).toBeUndefined();
  });
  test("that is a link is ignored", () => {
    const elsewhere = join(temporaryFolder(), "state");
    writeFileSync(elsewhere, JSON.stringify({ ...proofOfSelf(), port: 1, token: "t", binaryVersion: "1.0.0" }), {
      mode: 0o600,
    });
    const root = temporaryFolder();
    mkdirSync(join(root, ".devflow"));
    symlinkSync(elsewhere, join(root, ".devflow/browse.json"));
    expect(findDaemon(workspaceAt(root))).toBeUndefined();
  });
});

describe("a page whose script never ends", () => {
  test(
    "blocks only itself, and its script is terminated at the deadline",
    async () => {
      await bench.text("goto", bench.url("/other"));
      const other = await bench.json<{ tab: string }>("newtab", bench.url("/"));
      const stuck = failureOf(bench.call(["js", "while (true) {}", "--timeout", "3000"]));
      await until("the script runs", async () => (await bench.text("status")).includes("running: js"));
      expect(await bench.text("tabs")).toContain(bench.url("/other"));
      expect(await bench.text("js", "document.title", "--tab", "t1")).toContain("Other");
      expect(await stuck).toMatchObject({
        code: "browse_deadline",
        message: "`js while (true) {} --timeout 3000` did not finish within 3 s; the page's script was terminated.",
      });
      expect(await bench.text("js", "document.title", "--tab", other.tab)).toContain("Home");
    },
    limit,
  );

  test.skipIf(process.platform !== "linux")(
    "is replaced by an empty tab with the same id when even that does not help",
    async () => {
      const { tab } = await bench.json<{ tab: string }>("newtab", bench.url("/"));
      const burning = bench.call(["js", "for (const end = Date.now() + 4000; Date.now() < end; ) ;", "--tab", tab]);
      const renderer = await busiestRenderer();
      await burning;
      // A stopped process reads no messages.
      process.kill(renderer, "SIGSTOP");
      const failure = await failureOf(bench.call(["js", "1", "--timeout", "1000", "--tab", tab]));
      expect(failure.code).toBe("browse_deadline");
      expect(failure.message).toContain(`${tab} hung and was replaced by an empty one; other tabs are untouched`);
      expect(await bench.text("js", "location.href", "--tab", tab)).toContain("about:blank");
      expect(await bench.text("js", "document.title", "--tab", "t1")).toContain("Other");
      if (renderers().some(({ pid }) => pid === renderer)) process.kill(renderer, "SIGKILL");
      await bench.text("closetab", tab);
    },
    limit,
  );

  test.skipIf(process.platform !== "linux")(
    "is left for another tab with the same id when its process does not answer at all",
    async () => {
      const { tab } = await bench.json<{ tab: string }>("newtab", bench.url("/"));
      const burning = bench.call(["js", "for (const end = Date.now() + 4000; Date.now() < end; ) ;", "--tab", tab]);
      const renderer = await busiestRenderer();
      await burning;
      process.kill(renderer, "SIGSTOP");
      const reply = await bench.call(["goto", bench.url("/other"), "--tab", tab]);
      expect(reply.ok && reply.out).toContain('HTTP 200 "Other"');
      expect(reply.notes).toEqual([`${tab} hung at ${bench.url("/")} and was replaced; its history is lost.`]);
      if (renderers().some(({ pid }) => pid === renderer)) process.kill(renderer, "SIGKILL");
      await bench.text("closetab", tab);
    },
    limit,
  );

  test(
    "is freed when its caller goes away",
    async () => {
      const gone = new AbortController();
      const reply = bench.call(["js", "while (true) {}", "--tab", "t1"], { signal: gone.signal });
      reply.catch(() => {});
      await until("the script runs", async () => (await bench.text("status")).includes("running: js"));
      gone.abort(new Error("gone"));
      expect(await bench.text("js", "document.title", "--tab", "t1")).toContain("Other");
      await until("nothing runs", async () => !(await bench.text("status")).includes("running:"));
    },
    limit,
  );
});

const renderers = () => processesNaming(bench.home).filter(({ command }) => command.includes("--type=renderer"));
const cpuTime = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[11]);

async function busiestRenderer(): Promise<number> {
  const before = new Map(renderers().map(({ pid }) => [pid, cpuTime(pid)]));
  let busiest = 0;
  await until("a renderer burns time", () => {
    busiest = renderers().find(({ pid }) => cpuTime(pid) - (before.get(pid) ?? 0) > 30)?.pid ?? 0;
    return busiest > 0;
  });
  return busiest;
}

describe("after a kill -9", () => {
  const state = "js [scrollY, localStorage.kept, sessionStorage.kept, document.cookie]".split(/ (.*)/s).slice(0, 2);
  const chromiumPid = async () => (await bench.json<{ chromium: { pid: number } }>("status")).chromium.pid;

  test(
    "of Chromium, the next command has its tabs, cookies, storage and scroll position again, and says what was lost",
    async () => {
      await bench.text("goto", bench.url("/tall"), "--tab", "t1");
      await bench.text("js", "scrollTo(0, 700)", "--tab", "t1");
      await bench.text("tab", "t1");
      await until("it is remembered", () => readTabs().includes('"y":700'));
      const daemon = bench.daemon().pid;
      process.kill(await chromiumPid(), "SIGKILL");
      await until("it is noticed", async () => (await bench.text("status")).includes("Chromium: ended"));
      const reply = await bench.call(state);
      expect(reply.ok && reply.out.split("\n")[1]).toBe('[700,"local","session","kept=cookie"]');
      expect(reply.notes?.[0]).toMatch(
        /^Chromium had ended and was restarted; its 2 tabs were reopened\. Lost: unsent input/,
      );
      expect(bench.daemon().pid).toBe(daemon);
    },
    limit,
  );

  test(
    "of the daemon, Chromium ends too, and the tabs are reopened without cookies and storage",
    async () => {
      await until("it is remembered", () => readTabs().includes('"y":700'));
      const chromium = await chromiumPid();
      process.kill(bench.daemon().pid, "SIGKILL");
      await until("Chromium has ended", () => !processesNaming(bench.home).some(({ pid }) => pid === chromium));
      await until("all of it has ended", () => processesNaming(bench.home).length === 0);
      const reply = await bench.call(["js", "[location.pathname, scrollY, document.cookie]"]);
      expect(reply.ok && reply.out.split("\n")[1]).toBe('["/tall",700,"kept=cookie"]');
      expect(reply.notes?.[0]).toContain("Lost: cookies and storage, which are kept only when the browser ends idle");
    },
    limit,
  );

  const readTabs = () => readFileSync(join(bench.workspace.browseFolder, "tabs.json"), "utf8");
});

describe("a newer Devflow", () => {
  const newer = { version: "99.0.0", executable: "", executableTime: 0 };

  test(
    "replaces an idle browser and keeps cookies, storage and session tokens",
    async () => {
      await bench.text("goto", bench.url("/tall"));
      await bench.text("js", "document.cookie = 'only=memory; max-age=9999'");
      const { token } = await bench.json<{ token: string }>("session", "open", "kept");
      const before = bench.daemon();
      const reply = await bench.call(["js", "document.cookie"], { build: newer });
      expect(reply.notes?.[0]).toStartWith("The browser was replaced by a newer Devflow; its 2 tabs were reopened.");
      expect(reply.ok && reply.out).toContain("only=memory");
      expect(bench.daemon().pid).not.toBe(before.pid);
      expect(isSameProcess(before)).toBe(false);
      expect((await bench.call(["js", "'still mine'"], { token })).ok).toBe(true);
      expect(readFileSync(join(bench.workspace.browseFolder, "tabs.json"), "utf8")).not.toContain("memory");
    },
    limit,
  );

  test(
    "does not replace a busy browser, and says so",
    async () => {
      const before = bench.daemon().pid;
      const slow = bench.call(["js", "new Promise((done) => setTimeout(() => done('slow'), 3000))", "--tab", "t1"]);
      await until("it runs", async () => (await bench.text("status")).includes("running: js"));
      const reply = await bench.call(["js", "'quick'", "--session", "busy"], { build: newer });
      expect(reply.ok && reply.out).toContain("quick");
      expect(reply.notes?.[0]).toContain("is busy; this version replaces it when it is idle");
      expect((await slow).ok).toBe(true);
      expect(bench.daemon().pid).toBe(before);
      await bench.text("session", "close", "busy");
    },
    limit,
  );
});

test(
  "a browser whose process is stopped is reported at the deadline, by status within two seconds, and ended by stop",
  async () => {
    await bench.text("goto", bench.url("/other"));
    const { pid } = bench.daemon();
    process.kill(pid, "SIGSTOP");
    const timed = async (...words: string[]) => {
      const start = performance.now();
      const { code, stdout, stderr } = await bench.cli(words);
      return { code, out: `${stdout}${stderr}`, ms: performance.now() - start };
    };
    const startUpMs = 2_500;
    const read = await timed("text", "--timeout", "1000");
    expect(read.code).toBe(75);
    expect(read.out).toContain(`The browser for ${bench.workspace.root} (pid ${pid}, Devflow `);
    expect(read.out).toContain(", stopped by a signal) did not answer within 1.5 s.");
    expect(read.out).toContain(`Continue it: kill -CONT ${pid}; or end it by force: devflow browse stop`);
    expect(read.ms).toBeLessThan(1_500 + startUpMs);
    const status = await timed("status");
    expect(status.out).toContain(`(pid ${pid}, `);
    expect(status.ms).toBeLessThan(1_500 + startUpMs);
    const viaHttp = bench.call(["text"], { patienceMs: 300 });
    expect(await viaHttp.catch((error: Error) => error.message)).toContain("did not answer within 0.3 s");
    const stopped = await timed("stop");
    expect(stopped).toMatchObject({
      code: 0,
      out: `The browser (pid ${pid}) did not answer and was ended by force. The next command opens its tabs again.\n`,
    });
    await until("nothing is left", () => processesNaming(bench.home).length === 0);
    expect(await bench.text("js", "document.title")).toContain("Other");
  },
  limit,
);

test(
  "stop ends the browser and everything it started, and status does not start it again",
  async () => {
    await bench.stop();
    await until("nothing is left", () => processesNaming(bench.home).length === 0);
    const { code, stderr } = await bench.cli(["status"]);
    expect({ code, stderr }).toEqual({
      code: 69,
      stderr: `No browser is running for ${bench.workspace.root}.\nStart one: devflow browse goto <url>\n`,
    });
    expect(findDaemon(bench.workspace)).toBeUndefined();
  },
  limit,
);
