/** One server drives the agents of a machine: a copied home on the same database is refused. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { homeAt } from "@devflow/core/home";
import { devflowCommand, runProcess, type TemporaryHome, temporaryHome, testClone } from "@devflow/testkit";

const home = temporaryHome({ isKept: true });
const copy = temporaryHome({ isKept: true });
const clone = await testClone({ migrated: false });
const { host, user, password } = clone.target;
const env = {
  DEVFLOW_DATABASE_URL: `postgres://${user}:${encodeURIComponent(password.reveal())}@localhost/${clone.name}?host=${encodeURIComponent(host)}`,
  DEVFLOW_PORT: "0",
};
const devflow = (at: TemporaryHome, ...words: string[]) =>
  runProcess([...devflowCommand(), ...words], { env: at.environment(env), cwd: at.path });
afterAll(async () => {
  await devflow(home, "down");
  await devflow(copy, "down");
  await clone.drop();
  home.remove();
  copy.remove();
});

test("the second server with the same id drives no agents, and says why", async () => {
  await devflow(home, "up", "--detach");
  expect((await devflow(home, "run", "list")).code).toBe(0);
  mkdirSync(copy.devflowHome, { recursive: true, mode: 0o700 });
  cpSync(homeAt(home.devflowHome).machineIdFile, homeAt(copy.devflowHome).machineIdFile);
  await devflow(copy, "up", "--detach");
  const { code, stderr } = await devflow(copy, "run", "list");
  const host = readFileSync(homeAt(home.devflowHome).machineIdFile, "utf8").trim();
  expect([code, stderr.replaceAll(copy.devflowHome, "<home>").replaceAll(host, "<id>")]).toMatchInlineSnapshot(`
    [
      3,
      
    "Another Devflow server or worker drives the agents of this machine (id <id>).
    A machine needs only one; end the other one first. If this home is a copy of another one, remove <home>/machine-id: it then gets an id of its own.
    "
    ,
    ]
  `);
  rmSync(homeAt(copy.devflowHome).machineIdFile);
  await devflow(copy, "down");
  await devflow(copy, "up", "--detach");
  expect((await devflow(copy, "run", "list")).code).toBe(0);
}, 60_000);
