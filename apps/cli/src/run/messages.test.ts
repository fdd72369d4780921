/** Messages about runs that cannot be sent, as `status` and `doctor` tell of them. */
import { afterAll, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@devflow/core/secret";
import { type CliResult, runCli } from "@devflow/testkit";
import { startRunsServer } from "@devflow/testkit/runs-server";

let status = 500;
const keys: (string | null)[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    keys.push(request.headers.get("idempotency-key"));
    return new Response("", { status });
  },
});
const url = `http://127.0.0.1:${receiver.port}/services/T0/secret-path`;
const it = await startRunsServer({ webhook: () => ({ url: new Secret(url), format: "json" }) });
afterAll(async () => {
  await it.stop();
  await receiver.stop(true);
}, 120_000);

const devflow = (...words: string[]): Promise<CliResult> => runCli(words, { home: it.home, cwd: it.repository });
const notifications = async () => {
  const { checks } = (await devflow("doctor", "--json")).json<{ checks: { name: string }[] }>();
  return checks.find(({ name }) => name === "notifications");
};
async function until(isIt: (state: { waiting: number; failing: number }) => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { json } = await it.call("/api/runs/notifications");
    if (isIt(json)) return;
    if (Date.now() > deadline) throw new Error(`not yet: ${JSON.stringify(json)}`);
    await Bun.sleep(50);
  }
}

test("a message that cannot be sent is a problem until it is, and the webhook's address is nowhere", async () => {
  expect(await notifications()).toMatchObject({ status: "pass", detail: expect.stringMatching(/^not configured; /) });
  appendFileSync(join(it.home.devflowHome, "config.yaml"), `webhook_url: ${url}\n`);
  expect(await notifications()).toMatchObject({ status: "pass", detail: "all messages were sent" });

  await devflow("run", "start", "Greet", "--template", "development-fake@1");
  await until(({ failing }) => failing === 1);
  const said = await devflow("status");
  const problem =
    "1 message about runs could not be sent: the webhook answered with status 500; it is tried again. Check the setting: devflow config set webhook_url <url>";
  expect(said.stdout.split("\n").find((line) => line.includes("Problems"))).toContain(problem);
  expect((await devflow("status", "--json")).json<{ status: { problems: string[] } }>().status.problems).toEqual([
    problem,
  ]);
  expect(await notifications()).toEqual({
    name: "notifications",
    status: "warn",
    detail: "1 fail, 0 were given up: the webhook answered with status 500",
    remediation: "Check the URL: devflow config set webhook_url <url>",
  } as never);
  expect(said.stdout).not.toContain("secret-path");

  status = 200;
  await until(({ waiting }) => waiting === 0);
  expect(new Set(keys).size).toBe(1);
  expect((await devflow("status")).stdout).not.toContain("Problems");
  expect(await notifications()).toMatchObject({ status: "pass", detail: "all messages were sent" });
}, 120_000);
