import { expect, test } from "bun:test";
import { browseCommands } from "../commands/index.ts";
import { patienceMs } from "./patience.ts";

test("a client waits for each command half a second longer than the command may take", () => {
  const late = browseCommands
    .filter(({ name }) => !["status", "stop", "tabs"].includes(name))
    .filter(({ name, args, deadlineMs }) => {
      const own = args.shape.timeout?.safeParse(undefined).data;
      const most = typeof own === "number" ? own + 250 : (deadlineMs ?? 30_000);
      return patienceMs(name.split(" ")) !== most + 500;
    });
  expect(late.map(({ name }) => name)).toEqual([]);
});

test("a client waits as long as --timeout says, however it is typed", () => {
  expect(patienceMs(["text", "--timeout", "3000"])).toBe(3_500);
  expect(patienceMs(["--timeout=700", "click", "@e1"])).toBe(1_200);
  expect(patienceMs(["text", "--timeout", "soon"])).toBe(30_500);
  expect(patienceMs(["wait", "--text", "Saved", "--timeout", "2000"])).toBe(2_750);
});
