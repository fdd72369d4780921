/** Messages about runs, to a receiver that is really there. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "@devflow/core/clock";
import { Secret } from "@devflow/core/secret";
import { killAt, quietLog, runProcess } from "@devflow/testkit";
import { openEngineBench, planPhase, smallTemplate, workPhase } from "../../testing/index.ts";
import type { NotifierProcessOptions } from "../../testing/notifier-process.ts";
import { composeMessage, type Notice } from "./compose-message.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import { outboxState, retryDelaysMs, settle, takeDue } from "./outbox.ts";
import { sendMessage } from "./send-message.ts";

const bench = await openEngineBench();
interface Received {
  readonly key: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly body: any;
}
const received: Received[] = [];
let status = 200;
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push({ key: request.headers.get("idempotency-key"), body: await request.json() });
    return new Response("", { status, headers: { location: "http://127.0.0.1:1/" } });
  },
});
afterAll(async () => {
  await receiver.stop(true);
  await bench.close();
});
const url = `http://127.0.0.1:${receiver.port}/services/T0/secret-path`;
const outbox = { database: bench.database, host: bench.context.host };
const webhook = { url: new Secret(url), format: "json" } as const;

async function whileSending<T>(work: (notifier: Notifier) => Promise<T>, hook = () => webhook as never): Promise<T> {
  const notifier = createNotifier({ ...outbox, clock: systemClock, log: quietLog, webhook: hook });
  notifier.start();
  try {
    return await work(notifier);
  } finally {
    await notifier.stop();
  }
}
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not yet: ${JSON.stringify(received)}`);
    await Bun.sleep(10);
  }
}
beforeEach(async () => {
  received.length = 0;
  status = 200;
  await bench.admin`delete from app.notifications`;
});

describe("messages about runs", () => {
  test("a gate and the end are told once each, with the key of their event", async () => {
    const { runId } = await bench.start({ title: "Greet <!channel>" });
    await bench.finish(runId);
    await whileSending(() => until(() => received.length === 3));
    expect(received.map(({ key, body }) => [key === body.id, body.event, body.run.gate])).toEqual([
      [true, "gate", "plan_approved"],
      [true, "gate", "ship_approved"],
      [true, "completion", null],
    ]);
    expect(received[0]?.body).toMatchObject({
      run: { id: runId, title: "Greet <!channel>", repository: "repository" },
    });
    expect(received[0]?.body.text).toStartWith("Asks for plan approved: Greet &lt;!channel&gt; (repository, run ");
    expect(await outboxState(outbox)).toEqual({ waiting: 0, failing: 0, givenUp: 0, lastError: null });
    expect(await bench.admin`select attempts from app.notifications`).toMatchObject([
      { attempts: 1 },
      { attempts: 1 },
      { attempts: 1 },
    ]);
  });

  test("a failing receiver is tried again, is a visible problem, and is given up at last", async () => {
    const { runId } = await bench.start();
    const gate = await bench.gate(runId);
    status = 302;
    await whileSending(async (notifier) => {
      await until(async () => (await outboxState(outbox)).failing === 1);
      expect(await notifier.problems()).toEqual([
        "1 message about runs could not be sent: the webhook answered with status 302; it is tried again. Check the setting: devflow config set webhook_url <url>",
      ]);
      status = 200;
      await until(async () => (await outboxState(outbox)).waiting === 0);
      expect(await notifier.problems()).toEqual([]);
      expect(new Set(received.map(({ key }) => key)).size).toBe(1);
      // The redirect was not followed, and the same message came again.
      expect(received.length).toBeGreaterThan(1);
    });
    await bench.decide(gate.id, "reject");
    await bench.until(runId, (now) => now.run.final_report_path !== null);
    const failed = await takeDue(outbox);
    expect(failed).toMatchObject({ type: "run.failed", attempts: 1 });
    await settle(outbox, { ...failed!, attempts: retryDelaysMs.length + 1 }, "it said no");
    expect(await outboxState(outbox)).toEqual({ waiting: 0, failing: 0, givenUp: 1, lastError: "it said no" });
  });

  test("taken by a process that died, it is sent by the next; two processes never take the same one", async () => {
    const { runId } = await bench.start();
    await bench.gate(runId);
    const [one, other] = await Promise.all([takeDue(outbox), takeDue(outbox)]);
    expect([one, other].filter(Boolean)).toHaveLength(1);
    await bench.admin`update app.notifications set next_try_at = now()`;
    expect(await takeDue(outbox)).toMatchObject({ runId, attempts: 2, key: (one ?? other)!.key });
    await bench.engine.abortRun(runId, { reason: "enough" }, bench.person);
  });

  test("a sender that is killed right after sending sends that message once more, under the same key, and no other", async () => {
    const { runId } = await bench.start();
    await bench.finish(runId);
    const { host, port, user, password } = bench.target;
    const options: NotifierProcessOptions = {
      target: { host, port, user, password: password.reveal() },
      ...{ database: bench.databaseName, host: outbox.host, url },
    };
    const program = fileURLToPath(new URL("../../testing/notifier-process.ts", import.meta.url));
    const sendWith = (env: Record<string, string>) =>
      runProcess([process.execPath, program, JSON.stringify(options)], {
        env: { ...(bench.context.env as Record<string, string>), ...env },
      });
    const { killedBy } = await sendWith(killAt("after_message_sent", 2));
    expect(killedBy).toBe("SIGKILL");
    // The first was settled, the second was sent and not settled: for a minute nobody takes it.
    expect(received.map(({ body }) => body.run.gate)).toEqual(["plan_approved", "ship_approved"]);
    await bench.admin`update app.notifications set next_try_at = now() where ended_at is null`;
    expect((await sendWith({})).code).toBe(0);
    expect(received.map(({ body }) => body.run.gate)).toEqual([
      "plan_approved",
      "ship_approved",
      "ship_approved",
      null,
    ]);
    const keys = received.map(({ key }) => key);
    expect([keys[1] === keys[2], new Set(keys).size]).toEqual([true, 3]);
    expect(await outboxState(outbox)).toEqual({ waiting: 0, failing: 0, givenUp: 0, lastError: null });
  });

  test("an agent that waits for a permission is told of; one that a rule answers, or that was answered already, is not", async () => {
    const template = await bench.addTemplate(smallTemplate("asks", [planPhase, workPhase]));
    const asks = { scenario: "permission" };
    const runId = await bench.play({ plan: asks, implement: asks }, { template });
    await bench.permission(runId);
    await whileSending(() => until(() => received.length === 1));
    expect(received[0]?.body).toMatchObject({
      event: "permission",
      run: { permission: { role: "architect", tool: "Bash", detail: "npm test" } },
    });
    const id = runId.slice(-8);
    expect(received[0]?.body.text).toEndWith(
      `architect asks to use Bash: npm test\nAnswer: devflow run allow ${id}, or devflow run deny ${id}`,
    );
    const [open] = (await bench.snapshot(runId)).permissions;
    const answer = {
      sessionId: open!.session_id,
      permissionId: open!.permission_id,
      answer: "allow",
      scope: "run",
    } as const;
    await bench.engine.answerPermission(answer, bench.person);
    await bench.finish(runId);
    await whileSending(() => until(async () => (await outboxState(outbox)).waiting === 0));
    expect(received.map(({ body }) => body.event)).toEqual(["permission", "completion"]);
  });

  test("without a webhook nothing is kept, and what is older than a day is not told", async () => {
    const { runId } = await bench.start();
    await bench.gate(runId);
    await bench.admin`update app.notifications set created_at = now() - interval '25 hours'`;
    expect(await takeDue(outbox)).toBeUndefined();
    expect(await outboxState(outbox)).toMatchObject({ givenUp: 1, lastError: "older than a day" });
    await bench.admin`update app.notifications set created_at = now(), ended_at = null`;
    await whileSending(
      () => until(async () => (await outboxState(outbox)).waiting === 0),
      () => undefined as never,
    );
    expect(received).toEqual([]);
    await bench.engine.abortRun(runId, { reason: "enough" }, bench.person);
  });

  test("the URL is in no reason", async () => {
    const notice: Notice = {
      runId: "0198c0de-0000-7000-8000-00003f9a2c1b",
      seq: 1,
      type: "run.failed",
      key: "k",
      at: "2026-01-01T00:00:00.000Z",
      gate: null,
      reason: "tests & <http://evil|click>",
      permission: null,
      title: "T",
      repository: "/srv/shop",
      branch: "b",
      pullRequest: null,
    };
    const message = composeMessage(notice);
    expect(message.text).toBe(
      "Failed: T (shop, run 3f9a2c1b): tests &amp; &lt;http://evil|click&gt;\nSee: devflow run show 3f9a2c1b",
    );
    const gone = { url: new Secret("http://127.0.0.1:1/secret-path"), format: "json" } as const;
    const reason = await sendMessage(gone, message);
    expect(reason).toStartWith("the webhook cannot be reached");
    expect(reason).not.toContain("secret-path");
    await sendMessage({ ...webhook, format: "slack" }, message);
    expect(received.at(-1)?.body).toEqual({ text: message.text });
  });
});
