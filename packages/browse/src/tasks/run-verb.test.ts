import { expect, test } from "bun:test";
import { valuesFor } from "./run-verb.ts";

const taking = (takes: Record<string, string | null>) => ({ takes, steps: [{ do: "back" }] });

test.each([
  [{}, ["Bob"], "It takes no values."],
  [{}, ["name=Bob"], "It takes no values."],
  [{ name: "Ann" }, ["Bob", "Eve"], "It takes one value: name."],
  [{ name: "Ann", size: "S" }, ["Bob", "L", "now"], "It takes 2 values: name, size."],
  [{ password: null }, [], "It needs a value for password."],
])("of a verb that takes %p the values %p are refused: %s", (takes, words, problem) => {
  expect(() => valuesFor(taking(takes), words)).toThrow(problem);
});
