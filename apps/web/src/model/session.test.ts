import { expect, test } from "bun:test";
import { createSession, takeCode } from "./session.ts";

function memoryStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}
const signedIn = { token: "t0ken", expiresAt: "2030-01-01T00:00:00.000Z", user: { id: "u1", name: "Ada" } };
const now = () => Date.parse("2029-01-01T00:00:00.000Z");

test("the code is read from the URL fragment, and nothing else is mistaken for one", () => {
  expect(takeCode("#code=abc123")).toBe("abc123");
  expect(takeCode("#content")).toBeUndefined();
  expect(takeCode("#code=")).toBeUndefined();
  expect(takeCode("")).toBeUndefined();
});

test("a reload keeps the tab signed in, and other tabs are not signed in", () => {
  const storage = memoryStorage();
  createSession({ storage, now }).accept(signedIn);
  expect(createSession({ storage, now }).state()).toEqual({ is: "signed-in", ...signedIn });
  expect(createSession({ storage: memoryStorage(), now }).state()).toEqual({ is: "signed-out", reason: "none" });
});

test("an expired or unreadable token is deleted, and the page says that it is no longer accepted", () => {
  for (const text of [JSON.stringify({ ...signedIn, expiresAt: "2028-01-01T00:00:00.000Z" }), "{", '{"token":1}']) {
    const storage = memoryStorage();
    storage.setItem("devflow.session", text);
    expect(createSession({ storage, now }).state()).toEqual({ is: "signed-out", reason: "refused" });
    expect(storage.items.size).toBe(0);
  }
});

test("signing out deletes the token, and requests that fail afterwards do not change the reason", () => {
  const storage = memoryStorage();
  const session = createSession({ storage, now });
  session.accept(signedIn);
  let calls = 0;
  session.subscribe(() => calls++);
  session.end("forgotten");
  session.end("refused");
  expect(session.state()).toEqual({ is: "signed-out", reason: "forgotten" });
  expect(session.token()).toBeUndefined();
  expect(storage.items.size).toBe(0);
  expect(calls).toBe(1);
});
