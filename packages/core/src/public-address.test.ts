import { expect, test } from "bun:test";
import { isPublicAddress } from "./public-address.ts";

test.each([
  ["93.184.216.34", true],
  ["2606:2800:220:1:248:1893:25c8:1946", true],
  ["127.0.0.1", false],
  ["10.1.2.3", false],
  ["172.31.255.255", false],
  ["172.32.0.1", true],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["255.255.255.255", false],
  ["[::1]", false],
  ["64:ff9b::7f00:1", false],
  ["::1", false],
  ["::", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:7f00:1", false],
  ["fd00::1", false],
  ["fe80::1", false],
  ["not an address", false],
])("%s is public: %p", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});
