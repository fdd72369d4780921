import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { socketPath } from "@devflow/browse/client";
import { devflowCommand, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";

/** A command in a folder of a workspace whose daemon answers with `serve`. */
async function browse(
  words: readonly string[],
  serve: (socket: Socket, line: string) => void,
  folder = "",
  into?: string,
) {
  const home = temporaryHome();
  const root = temporaryFolder("ws");
  const path = socketPath(home.devflowHome, root) ?? "";
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const daemon = createServer((socket) => socket.once("data", (bytes) => serve(socket, bytes.toString())));
  await new Promise<void>((resolve) => daemon.listen(path, resolve));
  const cwd = join(root, folder);
  mkdirSync(cwd, { recursive: true });
  try {
    const argv = [...devflowCommand(), "browse", ...words];
    const redirected = into === undefined ? argv : ["sh", "-c", `exec "$@" > ${into}`, "sh", ...argv];
    return { ...(await runProcess(redirected, { env: home.environment(), cwd })), cwd };
  } finally {
    daemon.close();
  }
}

test("a daemon that dies during a command is reported as an error, without a stack trace", async () => {
  // It takes the command and dies, as after a kill -9 at the wrong moment.
  const { code, stderr } = await browse(["click", "@e1"], (socket) => void socket.write("\n", () => socket.destroy()));
  expect([code, stderr.split("\n").length]).toEqual([expect.any(Number), 3]);
  expect(code).not.toBe(0);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("a daemon that dies before it takes a command leaves it to the full command line", async () => {
  const { stderr } = await browse(["tabs"], (socket) => socket.destroy());
  expect(stderr).toStartWith("No browser is running");
});

test("a command reaches the workspace's daemon from a folder below, and prints a long answer whole", async () => {
  const long = `${"ä€🎈\n".repeat(60_000)}`;
  let asked = "";
  const answer = (socket: Socket, line: string) => {
    asked = line;
    socket.end(`${JSON.stringify({ ok: true, out: long, exit: 3, notes: ["A remark."] })}\n`);
  };
  const { code, stdout, stderr, cwd } = await browse(["text", "--json"], answer, "src/deep");
  expect({ code, stderr, isWhole: stdout === long }).toEqual({ code: 3, stderr: "A remark.\n", isWhole: true });
  expect(JSON.parse(asked)).toMatchObject({ words: ["text", "--json"], json: true, cwd });
});

test("a daemon that is not responsible leaves the command to the full command line", async () => {
  const error = { code: "browse_lost", message: "It is stopping.", hint: "", status: 503, exit: 71, details: {} };
  const refuse = (socket: Socket) => socket.end(`${JSON.stringify({ ok: false, error, retry: true })}\n`);
  const { stderr } = await browse(["tabs"], refuse);
  expect(stderr).toStartWith("No browser is running");
});

test.skipIf(process.platform !== "linux")(
  "an answer that cannot be written is a full disk, without a stack trace",
  async () => {
    const answer = (socket: Socket) => socket.end(`${JSON.stringify({ ok: true, out: "words\n" })}\n`);
    const { code, stderr } = await browse(["text"], answer, "", "/dev/full");
    expect({ code, stderr }).toEqual({
      code: 74,
      stderr:
        "The disk that holds the output is full.\nFree some space, then repeat the command. No acknowledged write was lost. See: devflow doctor\n",
    });
  },
);
