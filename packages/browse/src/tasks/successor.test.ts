import { expect, test } from "bun:test";
import { successorOf } from "./successor.ts";

const button = (name: string, near: { after?: string; before?: string } = {}) => ({ role: "button", name, ...near });
const found = (was: string, ...now: string[]) =>
  successorOf(
    button(was),
    now.map((name) => button(name)),
  )?.name;

test.each([
  ["Save draft", ["Save draft"]],
  ["Save draft", ["Save draft now"]],
  ["Save draft", ["Save my draft"]],
  ["Save draft", ["Save as draft", "Discard draft"]],
  ["Save", ["SAVE…"]],
  ["Cart (3)", ["Cart (4)"]],
  ["Log in", ["Log in here"]],
  ["Delete account", ["Delete my account"]],
  ["Do not save", ["Do not save it"]],
])("after %p comes the first of %p", (was, now) => {
  expect(found(was, ...now)).toBe(now[0]);
});

test.each([
  ["Save draft", ["Discard draft"]],
  ["Save draft", ["Do not save draft"]],
  ["Save draft", ["Don't save draft"]],
  ["Save draft", ["Save draft and publish"]],
  ["Save draft", ["Save draft & close"]],
  ["Save draft", ["Save as draft", "Save a draft"]],
  ["Save draft", ["Save draft", "save draft"]],
  ["Save draft", ["Save"]],
  ["Subscribe", ["Unsubscribe"]],
  ["Delete", ["Delete all"]],
  ["Speichern", ["Nicht speichern"]],
  ["Do not save", ["Do save"]],
  ["Send", ["Send a copy to everybody"]],
  ["3", ["4"]],
  ["Page 3", ["Page 2", "Page 4"]],
  ["Log in", ["Log in with a code by mail"]],
  ["", ["Save"]],
])("nothing comes after %p among %p", (was, now) => {
  expect(found(was, ...now)).toBeUndefined();
});

test("a control between the same two others may have another name that begins with the same verb", () => {
  const near = { after: 'textbox "Password"', before: "nothing" };
  const was = button("Sign up now", near);
  expect(successorOf(was, [button("Sign up here", near), button("Log in")])?.name).toBe("Sign up here");
  expect(successorOf(was, [button("Sign up here", { ...near, before: 'button "Sign up"' })])).toBeUndefined();
  expect(successorOf(was, [button("Join here", near)])).toBeUndefined();
  expect(successorOf(was, [button("Sign up never", near)])).toBeUndefined();
  expect(successorOf(was, [{ role: "link", name: "Sign up now", ...near }])).toBeUndefined();
});
