import { describe, expect, test } from "bun:test";
import type { Outcome, RecordedReceipt } from "../journal/index.ts";
import { arrivalScript, expectationOf, isLate, unmet } from "./expectation.ts";

const receipt = (change: Partial<RecordedReceipt>): Outcome => ({
  kind: "receipt",
  receipt: {
    ...{ did: "clicked", changes: [], more: 0, console: [], failed: [], dialogs: [], downloads: [], opened: [] },
    effect: true,
    ...change,
  },
});
const ledTo = (to: string, change: Partial<RecordedReceipt> = {}) =>
  receipt({ url: { from: "http://a.test/", to }, ...change });

describe("what is expected", () => {
  test.each([
    ["http://a.test/shop?user=bob#top", [], "/shop"],
    ["http://a.test/users/bob/edit", ["bob"], "/users/*/edit"],
    ["http://a.test/p/trail-bottle-2", ["Trail Bottle"], "/p/*"],
    ["http://a.test/orders/1042", [], "/orders/*"],
    ["http://a.test/o/8f3a11c9-77de", [], "/o/*"],
    ["http://a.test/v2/step-1", [], "/v2/step-1"],
    ["http://a.test/app#/cart/17?tab=2", [], "/app#/cart/*"],
    ["http://a.test/boxes", ["box"], "/boxes"],
  ])("of the URL %s with the values %p is %s", (url, values, path) => {
    expect(expectationOf("click", ledTo(url), values)?.path).toBe(path);
  });

  test("of a title and a dialog has neither values nor numbers", () => {
    const seen = ledTo("http://a.test/", {
      page: { title: "Order 1,042 of Bob" },
      dialogs: ['dialog confirm "Delete 3 rows of Bob?" dismissed; to accept it: dialog accept, then repeat'],
    });
    expect(expectationOf("click", seen, ["bob"])).toEqual({
      path: "/",
      page: "Order * of *",
      dialogs: ['confirm "Delete * rows of *?" dismissed'],
      without: ["alert", "failed request"],
    });
  });

  test("of a step that only changed the page is that it has an effect again", () => {
    const nothing = ["alert", "dialog", "failed request"];
    expect<unknown>(expectationOf("click", receipt({}), [])).toEqual({ without: nothing, effect: true });
    expect<unknown>(expectationOf("select", receipt({}), [])).toEqual({ without: nothing });
    expect(expectationOf("js", { kind: "done" }, [])).toBeUndefined();
  });
});

describe("what differs", () => {
  const expected = expectationOf("click", ledTo("http://a.test/orders/7", { page: { title: "Order 7" } }), [])!;

  test("is nothing for another order", () => {
    expect(unmet(expected, ledTo("http://b.test/orders/8", { page: { title: "Order 8" } }))).toEqual([]);
  });

  test("is told for the URL, the title, alerts, dialogs and failed requests", () => {
    const seen = ledTo("http://a.test/login", {
      page: { title: "Log in" },
      changes: ['+ @e5 alert "Wrong password"', 'alert "Try again"', '- alert "Old"', '+ button "alert"'],
      dialogs: ['dialog alert "Boom" accepted'],
      failed: ["POST http://a.test/session 401"],
    });
    expect(unmet(expected, seen)).toEqual([
      "expected the URL /orders/*, but it is /login",
      'expected the page "Order *", but it is "Log in"',
      'unexpected alert: "Wrong password"',
      'unexpected alert: "Try again"',
      'unexpected dialog: alert "Boom" accepted',
      "unexpected failed request: POST http://a.test/session 401",
    ]);
    expect(isLate(expected, seen)).toBe(false);
  });

  test("is not an alert that was there when it was recorded", () => {
    const known = expectationOf("click", receipt({ changes: ['alert "Saved"'] }), [])!;
    expect(unmet(known, receipt({ changes: ['alert "Saved again"'] }))).toEqual([]);
    expect(unmet({ effect: true }, receipt({ effect: false }))).toEqual(["it had no effect"]);
    expect(unmet({ dialogs: ['confirm "Sure?" accepted'] }, receipt({}))).toEqual([
      'expected the dialog confirm "Sure?" accepted, which did not open',
    ]);
  });

  test("is only late where a page may still be on its way, and a script tells when it is there", () => {
    expect(isLate(expected, receipt({}))).toBe(true);
    const at = (pathname: string, title: string) =>
      new Function("location", "document", `return ${arrivalScript(expected)}`)({ pathname, hash: "" }, { title });
    expect([at("/orders/12", "Order 12"), at("/orders/12", "Shop"), at("/", "Order 12")]).toEqual([true, false, false]);
  });
});
