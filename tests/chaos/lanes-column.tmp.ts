import { afterAll, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { openMatrix } from "./matrix.ts";

const matrix = await openMatrix();
afterAll(() => matrix.close());
test("lanes", async () => {
  const visits = await matrix.visits("lanes");
  writeFileSync("/tmp/lanes-log/visits.json", JSON.stringify([...visits]));
  const todo = [...visits].flatMap(([point, n]) =>
    process.env.ALL ? Array.from({ length: n }, (_, i) => [point, i + 1] as const) : [[point, 1] as const],
  );
  const cells: unknown[] = [];
  const worker = async () => {
    for (let next = todo.shift(); next; next = todo.shift()) {
      const [point, visit] = next;
      const faults = await matrix.cell("lanes", point, visit).catch((error: Error) => [error.message]);
      cells.push({ point, visit, faults });
      writeFileSync("/tmp/lanes-log/cells.json", JSON.stringify(cells));
    }
  };
  await Promise.all([worker(), worker()]);
}, 1_800_000);
