import { expect, test } from "bun:test";
import { keepReachable } from "./slim-playwright.ts";

test("statements that the end of a bundle does not use are removed, with the statements that extend them", () => {
  const bundle = `
var __export = (target) => target;
var used_exports = {};
__export(used_exports, { used: () => used });
function used() { return helper.unused; }
var helper = class {};
helper.kind = 1;
function unused() { return alsoUnused(); }
var alsoUnused = () => 1;
alsoUnused.kind = 2;
(function(Unused2) { Unused2.a = 1; })(Unused2 || (Unused2 = {}));
var Unused2;
var init_other = () => { bigDriver(); };
function bigDriver() {}
init_other();
module.exports = used_exports;
`;
  const kept = keepReachable(bundle, /^init_other$/);
  expect(kept).toContain("function used()");
  expect(kept).toContain("helper.kind = 1");
  expect(kept).toContain("var init_other = () => {};");
  expect(kept).not.toMatch(/alsoUnused|Unused2|bigDriver|function unused/);
});
