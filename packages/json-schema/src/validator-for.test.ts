/** Schemas as people write them in suites: 2020-12 if they say so, otherwise draft 7 with formats. */
import { expect, test } from "bun:test";
import { SchemaFault, validatorFor } from "./index.ts";

const keywords = (schema: unknown, value: unknown) => validatorFor(schema)(value).map(({ keyword }) => keyword);

test("a format is a requirement, unless the schema names 2020-12", () => {
  const schema = { type: "string", format: "email" };
  expect(keywords(schema, "no")).toEqual(["format"]);
  expect(keywords(schema, "a@b.org")).toEqual([]);
  expect(keywords({ ...schema, $schema: "https://json-schema.org/draft/2020-12/schema" }, "no")).toEqual([]);
});

test.each([
  ["date", "2024-02-29", "2023-02-29"],
  ["time", "23:59:60Z", "12:59:60Z"],
  ["date-time", "2024-01-01T00:00:00+01:00", "2024-01-01"],
  ["uri", "https://a.org/x", "a b"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123"],
  ["ipv4", "127.0.0.1", "256.0.0.1"],
  ["ipv6", "::1", "1::2::3"],
  ["hostname", "a.example", "-a"],
  ["duration", "P1DT2H", "P"],
  ["json-pointer", "/a~1b", "/a~2"],
  ["regex", "^a+$", "("],
])("the format %s accepts %p and refuses %p", (format, good, bad) => {
  expect([keywords({ format }, good), keywords({ format }, bad)]).toEqual([[], ["format"]]);
});

test("keywords of draft 7 count: items as a list, dependencies, nullable", () => {
  expect(keywords({ items: [{ type: "string" }], additionalItems: false }, ["a", 1])).toEqual(["items"]);
  expect(keywords({ dependencies: { a: ["b"] } }, { a: 1 })).toEqual(["dependentRequired"]);
  expect(keywords({ properties: { a: { type: "string", nullable: true } } }, { a: null })).toEqual([]);
});

test("in draft 7, a $id of # and a name names a place", () => {
  const validate = validatorFor({ definitions: { a: { $id: "#count", type: "integer" } }, $ref: "#count" });
  expect([validate(1), validate("x").map(({ keyword }) => keyword)]).toEqual([[], ["type"]]);
});

test("a schema that cannot be used is told", () => {
  expect(() => validatorFor("x")).toThrow(SchemaFault);
  expect(() => validatorFor({ type: "nonsense" })).toThrow(SchemaFault);
  expect(() => validatorFor({ $ref: "#/nowhere" })).toThrow(/leads nowhere/);
});
