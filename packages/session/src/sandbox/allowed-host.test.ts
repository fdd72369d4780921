import { expect, test } from "bun:test";
import { isAllowedHost, isPublicAddress, rulesFromVariables } from "./allowed-host.ts";

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

test.each([
  ["8.8.8.8", true],
  ["2606:4700::1111", true],
  ["127.0.0.1", false],
  ["127.8.9.1", false],
  ["0.0.0.0", false],
  ["10.1.2.3", false],
  ["172.20.0.1", false],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.100.1.1", false],
  ["::1", false],
  ["::", false],
  ["::ffff:127.0.0.1", false],
  ["fe80::1", false],
  ["fd00::1", false],
  ["not an address", false],
] as const)("%s is public: %p", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
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
