import { expect, test } from "bun:test";
import { engineProblem } from "./engine-state.ts";

const place = { address: "temporal.example.com:7233", namespace: "devflow" };
const kindOf = (error: unknown) => engineProblem(error, place).kind;

test.each([
  ["unreachable", new Error("Connection failed: tcp connect error: Connection refused (os error 111)")],
  ["unreachable", Object.assign(new Error("upstream connect error"), { code: 14 })],
  ["namespace_missing", Object.assign(new Error("Namespace devflow is not found."), { code: 5 })],
  ["refused", Object.assign(new Error("Request unauthorized."), { code: 7 })],
  ["refused", Object.assign(new Error("invalid token"), { code: 16 })],
  ["refused", new Error("Failed to call GetSystemInfo: code: 'The caller does not have permission to execute …'")],
  ["refused", new Error("failed", { cause: new Error("invalid peer certificate: UnknownIssuer") })],
])("%s: %s", (kind, error) => {
  expect(kindOf(error)).toBe(kind as ReturnType<typeof kindOf>);
});

test("each says what to do next", () => {
  expect(engineProblem(Object.assign(new Error("x"), { code: 5 }), place).message).toBe(
    "temporal.example.com:7233 has no namespace devflow. Create it: temporal operator namespace create --address temporal.example.com:7233 -n devflow",
  );
});
