import { expect, test } from "bun:test";
import { isAllowedHost, rulesFromVariables } from "./allowed-host.ts";

const rules = ["api.anthropic.com", "example.com:8443", "*.googleapis.com"];

test.each([
  ["api.anthropic.com", 443, true],
  ["API.Anthropic.com.", 443, true],
  ["api.anthropic.com", 80, false],
  ["api.anthropic.com.evil.com", 443, false],
  ["evil-api.anthropic.com", 443, false],
  ["anthropic.com", 443, false],
  ["example.com", 8443, true],
  ["example.com", 443, false],
  ["oauth2.googleapis.com", 443, true],
  ["googleapis.com", 443, false],
  ["xgoogleapis.com", 443, false],
  ["", 443, false],
  ["127.0.0.1", 443, false],
] as const)("%s:%d %p", (host, port, expected) => {
  expect(isAllowedHost(rules, host, port)).toBe(expected);
});

test("the person's own variables name hosts and ports", () => {
  const env = {
    ANTHROPIC_BASE_URL: "http://127.0.0.1:4000/v1",
    OPENAI_BASE_URL: "https://models.example.com/v1",
    AZURE_ENDPOINT: "https://x.azure.com:8443",
    HOMEPAGE: "https://evil.example",
    OTHER_BASE_URL: "no url",
    FILE_BASE_URL: "file:///etc/passwd",
  };
  expect(rulesFromVariables(env)).toEqual({ hosts: ["models.example.com:443", "x.azure.com:8443"], ports: [4000] });
});
