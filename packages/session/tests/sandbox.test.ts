/**
 * The real Claude Code in the sandbox, with a scripted model outside. It works, and then its model tries to break out: every
 * attempt is a command that the agent really runs inside, and what is outside is looked at afterwards.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { initRepository } from "@devflow/git";
import { agentsOrSkip, claudeHome, codexHome, temporaryFolder } from "@devflow/testkit";
import { createHeldAdapter } from "../src/holder/held-adapter.ts";
import { findBwrap, requireSandbox } from "../src/sandbox/require-sandbox.ts";
import { makeTerminalPlace, terminalPlace } from "../src/tmux/terminal-place.ts";
import { plainLaunch } from "../testing/index.ts";
import {
  call,
  folderOnDisk,
  holderCommand,
  hookCommand,
  insideCommand,
  isIdle,
  openAgentBench,
} from "./agent-bench.ts";
import { type AgentKind, claudeInTmux, claudePipes, codexServer } from "./agent-kinds.ts";

const agents = await agentsOrSkip();
/** The persons' homes, in the order of the benches. */
const homes: string[] = [];

/** The same agent, whose adapter can confine it. */
function confined(kind: AgentKind, executable: string, wire: string): AgentKind {
  return {
    ...kind,
    adapter({ model, worktree, variables }) {
      const { env } = claudeHome({ model, ...(wire === "claude" ? { workspace: worktree } : {}) });
      homes.push(env.HOME ?? "");
      const environment = () => ({ ...env, ...variables });
      return createHeldAdapter({ wire, command: [executable], hookCommand, holderCommand, insideCommand, environment });
    },
  };
}

/** Not below /tmp, which is empty inside: here the disk itself is read-only. */
const disk = folderOnDisk();
afterAll(() => disk.remove());
const folderFor = (name: string): string => {
  const path = join(disk.path, name);
  mkdirSync(path);
  return path;
};

const anEnvelope = "/Expected artifact: (?<artifact>\\S+)/";
const rules = { readable: [], hidden: [], hosts: [], ports: [] };

describe.skipIf(!agents)("Claude Code in the sandbox", () => {
  if (!agents) return;
  const kind = confined(claudePipes(agents), agents.claude.executable, "claude");
  const inTmux = confined(claudeInTmux(agents), agents.claude.executable, "tmux-claude");

  test.each([kind, inTmux].map((one) => [one.name, one] as const))("%s works inside", async (_name, one) => {
    await using bench = await openAgentBench(one, {
      steps: [
        {
          match: { userText: anEnvelope, toolResult: false },
          answer: { tools: [one.write("$<artifact>", '{"ok":true}')] },
        },
        { match: { toolResult: true }, answer: { text: "It is written." } },
      ],
    });
    const handle = await bench.start({ sandbox: rules });
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.at(-1)).toMatchObject({ outcome: "done" });
    expect(readFileSync(envelope.expectedArtifact, "utf8")).toContain('"ok"');
    // Its history is in a home of its own, and the next process continues it.
    expect(existsSync(join(handle.folder, "home/.claude/projects"))).toBeTrue();
    await bench.adapter.dispose(handle, call);
    const again = await bench.adapter.resume(handle, call);
    expect(again.agentSessionId).toBe(handle.agentSessionId ?? "");
  });

  test("Codex works inside too, with the sandbox of its own", async () => {
    const codex: AgentKind = {
      ...codexServer(agents),
      adapter({ model }) {
        const { env } = codexHome({ model });
        const command = [agents.codex.executable];
        return createHeldAdapter({ wire: "codex", command, holderCommand, insideCommand, environment: () => env });
      },
    };
    await using bench = await openAgentBench(codex, {
      steps: [
        {
          match: { userText: anEnvelope, toolResult: false },
          answer: { tools: [codex.write("$<artifact>", '{"ok":true}')] },
        },
        { match: { toolResult: true }, answer: { text: "It is written." } },
      ],
    });
    // Its provider is named in its configuration, not in a variable.
    const sandbox = { ...rules, ports: [Number(new URL(bench.model.url).port)] };
    // Its own sandbox refuses a configuration below /tmp.
    const handle = await bench.start({ folder: join(folderFor("codex"), "session"), sandbox });
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, isIdle);
    expect(readFileSync(envelope.expectedArtifact, "utf8")).toContain('"ok"');
  });

  test("none of the ways out is open", async () => {
    const outside = folderFor("outside");
    const repository = join(outside, "repository");
    const home = join(outside, "devflow-home");
    const other = join(home, "workspaces/other/main");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, "secret.txt"), "of another run\n");
    writeFileSync(join(home, "server.json"), '{"token":"devflow-token"}\n');
    await initRepository(repository, { files: { "a.txt": "a\n" }, message: "Start", env: process.env });
    const git = join(repository, ".git");
    writeFileSync(join(outside, "victim.txt"), "before\n");
    const listening = createServer((socket) => socket.end("reached\n"));
    await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
    const port = (listening.address() as { port: number }).port;
    // Devflow's own is in a hidden folder. The others are in places that the agent sees.
    const socketPaths = {
      devflowSocket: join(home, "devflow.sock"),
      dockerSocket: join(outside, "docker.sock"),
      gitSocket: join(git, "fsmonitor--daemon.ipc"),
    };
    const sockets = await Promise.all(
      Object.values(socketPaths).map(async (path) => {
        const server = createServer((client) => client.end("reached\n"));
        await new Promise<void>((done) => server.listen(path, done));
        return server;
      }),
    );
    const connecting = (to: string) =>
      `node -e "require('net').connect(${to}).on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))"`;

    const tries: Record<string, string> = {
      absolute: `echo broken > ${outside}/victim.txt`,
      link: `ln -s ${outside} link && echo broken > link/victim.txt`,
      hook: `printf '#!/bin/sh\\n' > ${git}/hooks/post-commit`,
      config: `git -C ${repository} config core.fsmonitor /tmp/evil`,
      gitFile: "echo 'gitdir: /tmp' > .git",
      gitFileMoved: "mv .git .git-old",
      home: "cat $HOME/.claude.json",
      otherWorktree: `cat ${other}/secret.txt`,
      serverJson: `cat ${home}/server.json`,
      ...Object.fromEntries(Object.entries(socketPaths).map(([name, path]) => [name, connecting(`'${path}'`)])),
      tmuxSocket: "tmux -S $TMUX_SOCKET list-sessions",
      port: connecting(`${port},'127.0.0.1'`),
      web: `node -e "require('net').connect(443,'1.1.1.1').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1));setTimeout(()=>process.exit(1),3000)"`,
      proc: `test -d /proc/${process.pid}/fd`,
      signal: `kill -0 ${process.pid}`,
      journal: "echo '{}' >> $SESSION/facts.jsonl",
      mount: "mount -o remount,rw /",
    };
    const script = [
      "#!/bin/bash",
      ...Object.entries(tries).map(
        ([name, text]) => `if ( ${text} ) >/dev/null 2>&1; then echo "${name}" >> opened.txt; fi`,
      ),
      // A child that outlives everything, if it can.
      "setsid bash -c 'while sleep 0.1; do date +%N > beat.txt; done' >/dev/null 2>&1 < /dev/null &",
      "until test -e beat.txt; do sleep 0.1; done",
      // Beside the worktree is an empty folder of its own, which is gone with the sandbox.
      "echo broken > ../broken.txt; echo broken > $HOME/.bashrc",
      "echo tried >> tried.txt",
      "exit 0",
      "",
    ].join("\n");

    await using bench = await openAgentBench(kind, {
      steps: [
        { match: { userText: anEnvelope, toolResult: false }, answer: { tools: [kind.run("bash tries.sh")] } },
        { match: { toolResult: true }, answer: { tools: [kind.write("$<artifact>", '{"ok":true}')] } },
        { match: { toolResult: true }, answer: { text: "Done." } },
      ],
    });
    const { worktree } = bench;
    writeFileSync(join(worktree, "tries.sh"), script);
    writeFileSync(join(worktree, ".git"), `gitdir: ${git}/worktrees/x\n`);
    symlinkSync(outside, join(worktree, "planted"));
    const folder = join(temporaryFolder("session"), "session");
    bench.variables.SESSION = folder;
    bench.variables.TMUX_SOCKET = terminalPlace(folder).tmuxSocket;
    const { tmuxSocket } = makeTerminalPlace(folder);
    const tmux = (...words: string[]) => execFileSync("tmux", ["-S", tmuxSocket, "-f", "/dev/null", ...words]);
    tmux("new-session", "-d", "sleep 1000");
    const handle = await bench.start({
      folder,
      launch: { ...plainLaunch, allowedCommands: ["bash tries.sh"] },
      sandbox: { ...rules, readable: [git], hidden: [home] },
    });
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, isIdle);
    await bench.adapter.dispose(handle, call);
    listening.close();
    for (const server of sockets) server.close();
    // It was there all the time.
    tmux("kill-server");

    expect(readFileSync(join(worktree, "tried.txt"), "utf8")).toBe("tried\n");
    expect(existsSync(join(worktree, "opened.txt")) ? readFileSync(join(worktree, "opened.txt"), "utf8") : "").toBe("");
    expect(readFileSync(join(outside, "victim.txt"), "utf8")).toBe("before\n");
    expect(existsSync(join(worktree, "../broken.txt"))).toBeFalse();
    expect(existsSync(join(homes.at(-1) ?? "", ".claude.json"))).toBeTrue();
    expect(existsSync(join(homes.at(-1) ?? "", ".bashrc"))).toBeFalse();
    expect(existsSync(join(git, "hooks/post-commit"))).toBeFalse();
    expect(readFileSync(join(worktree, ".git"), "utf8")).toBe(`gitdir: ${git}/worktrees/x\n`);
    const beat = readFileSync(join(worktree, "beat.txt"), "utf8");
    await Bun.sleep(1_000);
    expect(readFileSync(join(worktree, "beat.txt"), "utf8")).toBe(beat);
  });

  test("the agent reads what it may: the repository's objects and the named folders", async () => {
    const outside = temporaryFolder("outside");
    const repository = join(outside, "repository");
    await initRepository(repository, { files: { "a.txt": "a\n" }, message: "Start", env: process.env });
    const tool = temporaryFolder("tool");
    writeFileSync(join(tool, "version"), "1\n");
    await using bench = await openAgentBench(kind, {
      steps: [
        {
          match: { userText: anEnvelope, toolResult: false },
          answer: { tools: [kind.run("bash reads.sh")] },
        },
        { match: { toolResult: true }, answer: { tools: [kind.write("$<artifact>", '{"ok":true}')] } },
        { match: { toolResult: true }, answer: { text: "Done." } },
      ],
    });
    const reads = [
      `git --git-dir ${repository}/.git log --format=%s`,
      `cat ${tool}/version`,
      "echo x > /tmp/mine && cat /tmp/mine",
    ];
    writeFileSync(join(bench.worktree, "reads.sh"), reads.map((one) => `(${one}) >> read.txt 2>&1`).join("\n"));
    const handle = await bench.start({
      launch: { ...plainLaunch, allowedCommands: ["bash reads.sh"] },
      sandbox: { ...rules, readable: [join(repository, ".git"), tool] },
    });
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    await bench.factsUntil(handle, isIdle);
    expect(readFileSync(join(bench.worktree, "read.txt"), "utf8")).toBe("Start\n1\nx\n");
  });
});

describe("without bubblewrap", () => {
  test("a session is refused with what to install", async () => {
    const empty = temporaryFolder("path");
    expect(findBwrap(empty)).toBeUndefined();
    expect(requireSandbox({ PATH: empty }, "linux")).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: "The agent cannot be confined: bubblewrap (bwrap) is not installed.",
      hint: expect.stringContaining("apt-get install bubblewrap"),
    });
  });

  test("one that does not work says why", async () => {
    const folder = temporaryFolder("path");
    writeFileSync(
      join(folder, "bwrap"),
      "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n",
      {
        mode: 0o755,
      },
    );
    expect(requireSandbox({ PATH: folder }, "linux")).rejects.toMatchObject({
      message: expect.stringContaining("setting up uid map: Permission denied"),
    });
  });
});
