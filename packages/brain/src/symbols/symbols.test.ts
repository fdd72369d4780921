import { expect, test } from "bun:test";
import { grammarsOfPackage } from "./grammars-of-package.ts";
import { changedSymbols, hasSymbols, openSymbols } from "./index.ts";

const symbols = await openSymbols(grammarsOfPackage());

const source = `import { x } from "./x.ts";
export interface Limit { readonly per: number }
export type Key = string | number;
export enum Mode { A, B }
export function limit(key: Key, by: Limit): boolean {
  const inner = () => x(key);
  return inner() > by.per;
}
export const take = async (n: number): Promise<void> => {
  limit("a", { per: n });
};
const hidden = 3;
export class Limiter {
  private count = 0;
  take(n: number): void { this.count += n; }
  static of<T>(value: T): Limiter { return new Limiter(); }
}
export default function () {}
`;

test("definitions with their lines, kinds and signatures", async () => {
  const found = (await symbols.of("a.ts", source)) ?? [];
  expect(found.map((one) => [one.name, one.kind, one.from, one.to, one.isExported])).toEqual([
    ["Limit", "interface", 2, 2, true],
    ["Key", "type", 3, 3, true],
    ["Mode", "enum", 4, 4, true],
    ["limit", "function", 5, 8, true],
    ["take", "function", 9, 11, true],
    ["hidden", "constant", 12, 12, false],
    ["Limiter", "class", 13, 17, true],
    ["Limiter.count", "method", 14, 14, true],
    ["Limiter.take", "method", 15, 15, true],
    ["Limiter.of", "method", 16, 16, true],
  ]);
  expect(found.find(({ name }) => name === "limit")?.signature).toBe("function limit(key: Key, by: Limit): boolean");
  expect(found.find(({ name }) => name === "take")?.signature).toBe("take = async (n: number): Promise<void>");
});

test("uses, and not the definitions", async () => {
  const uses = await symbols.uses("a.ts", source);
  expect([uses?.get("limit"), uses?.get("Limit"), uses?.get("x"), uses?.get("hidden")]).toEqual([
    [10],
    [5],
    [1, 6],
    undefined,
  ]);
});

test("JavaScript, JSX and a file that is broken in the middle", async () => {
  const jsx = "export const App = ({ name }) => <b>{name}</b>;\nmodule.exports = App;\n";
  expect((await symbols.of("app.jsx", jsx))?.map(({ name }) => name)).toEqual(["App"]);
  const broken = "export function ok(a: number) { return a; }\nexport function (((\n}}}\nexport class Still {}\n";
  const names = (await symbols.of("b.ts", broken))?.map(({ name }) => name);
  expect(names).toContain("ok");
});

test("other languages and huge files have none", async () => {
  expect([hasSymbols("a.py"), hasSymbols("a.mts"), hasSymbols("a.d.ts")]).toEqual([false, true, true]);
  expect(await symbols.of("a.py", "def f(): pass")).toBeUndefined();
  expect(await symbols.of("a.ts", "x".repeat(1_000_001))).toBeUndefined();
});

test("what changed for those who use a file: signatures and removals, not bodies", async () => {
  const of = async (text: string) => (await symbols.of("a.ts", text)) ?? [];
  const before = await of(
    "export function f(a: number) { return 1; }\nexport function g() {}\nexport const h = 1;\nfunction own() {}",
  );
  const after = await of(
    "export function f(a: number, b: string) { return 2; }\nexport function g() { return 3; }\nfunction own(a: 1) {}",
  );
  expect(changedSymbols(before, after)).toEqual([
    { name: "f", change: "signature", before: "function f(a: number)", after: "function f(a: number, b: string)" },
    { name: "h", change: "removed", before: "h = 1", after: undefined },
  ]);
});
