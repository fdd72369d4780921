import { describe, expect, test } from "bun:test";
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { appBound, type ChromiumKeys, decryptValue, deriveKey } from "./chromium-crypto.ts";

const host = ".example.com";
const hash = createHash("sha256").update(host).digest();

function sealCbc(prefix: string, plain: Buffer, key: Buffer): Buffer {
  const cipher = createCipheriv("aes-128-cbc", key, Buffer.alloc(16, 0x20));
  return Buffer.concat([Buffer.from(prefix), cipher.update(plain), cipher.final()]);
}

function sealGcm(plain: Buffer, key: Buffer): Buffer {
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([Buffer.from("v10"), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

const open = (encrypted: Uint8Array, keys: ChromiumKeys, schemaVersion = 24) =>
  decryptValue({ host, plain: "", encrypted, schemaVersion }, keys);

const value = Buffer.from("wert-ü-🍪");
const peanuts = deriveKey("peanuts", 1);
const linux: ChromiumKeys = { cbc: { v10: [peanuts] } };

test("the keys are those that Chromium derives", () => {
  // Known from Chromium's own source: os_crypt_linux.cc keeps this key as a constant.
  expect(peanuts.toString("hex")).toBe("fd621fe5a2b402539dfa147ca9272778");
});

describe("a value of schema 24", () => {
  const plain = Buffer.concat([hash, value]);
  test("is decrypted without its hash: Linux v10, Linux v11, macOS v10, Windows v10", () => {
    const keyring = deriveKey("from the keyring", 1);
    const keychain = deriveKey("from the keychain", 1003);
    const windows = Buffer.alloc(32, 9);
    const results = [
      open(sealCbc("v10", plain, peanuts), linux),
      open(sealCbc("v11", plain, keyring), { cbc: { v10: [peanuts], v11: [keyring] } }),
      open(sealCbc("v10", plain, keychain), { cbc: { v10: [keychain] } }),
      open(sealGcm(plain, windows), { cbc: {}, gcm: windows }),
    ];
    expect(results).toEqual(results.map(() => ({ value: "wert-ü-🍪" })));
  });

  test("may be empty, with only the hash", () => {
    expect(open(sealCbc("v10", hash, peanuts), linux)).toEqual({ value: "" });
  });

  test("of another host is refused, not truncated", () => {
    const other = Buffer.concat([createHash("sha256").update("other.com").digest(), value]);
    expect(open(sealCbc("v10", other, peanuts), linux)).toEqual({ unreadable: "the key is wrong" });
    expect(open(sealCbc("v10", value, peanuts), linux)).toEqual({ unreadable: "the key is wrong" });
  });

  test("is decrypted with the second key when the first is wrong", () => {
    const keys = { cbc: { v11: [deriveKey("wrong", 1), deriveKey("", 1)] } };
    expect(open(sealCbc("v11", plain, deriveKey("", 1)), keys)).toEqual({ value: "wert-ü-🍪" });
  });
});

test("a value of an older schema keeps its first 32 bytes, even when they look like a hash", () => {
  const long = Buffer.from("x".repeat(40));
  expect(open(sealCbc("v10", long, peanuts), linux, 23)).toEqual({ value: "x".repeat(40) });
  const windows = Buffer.alloc(32, 9);
  expect(open(sealGcm(long, windows), { cbc: {}, gcm: windows }, 23)).toEqual({ value: "x".repeat(40) });
});

describe("a value that cannot be read", () => {
  test("with prefix v20 is bound to the browser, and the message names the alternative", () => {
    const result = open(Buffer.concat([Buffer.from("v20"), randomBytes(60)]), linux);
    expect(result).toEqual({ unreadable: appBound });
    expect(appBound).toContain("devflow browse cookie-import <file>");
  });
  test("has a reason: a changed byte, a missing key, an unknown prefix", () => {
    const windows = Buffer.alloc(32, 9);
    const tampered = sealGcm(Buffer.concat([hash, value]), windows);
    tampered[20] = (tampered[20] ?? 0) ^ 1;
    expect(open(tampered, { cbc: {}, gcm: windows })).toEqual({ unreadable: "the key is wrong" });
    expect(open(sealCbc("v11", hash, peanuts), { cbc: {}, missing: "the keyring is locked" })).toEqual({
      unreadable: "the keyring is locked",
    });
    expect(open(Buffer.from("v99abc"), linux)).toMatchObject({
      unreadable: expect.stringContaining("unknown to Devflow"),
    });
  });
  test("of any length is refused without a crash", () => {
    for (let length = 1; length < 80; length++) {
      for (const prefix of ["v10", "v11", "v20", "zzz"]) {
        const bytes = Buffer.concat([Buffer.from(prefix), randomBytes(length)]).subarray(0, length);
        const keys = { cbc: { v10: [peanuts], v11: [peanuts] } };
        expect(open(bytes, keys)).not.toHaveProperty("value");
        expect(open(bytes, { cbc: {}, gcm: Buffer.alloc(32) })).not.toHaveProperty("value");
      }
    }
  });
});

test("an unencrypted value is returned unchanged", () => {
  expect(decryptValue({ host, plain: "plain", encrypted: new Uint8Array(), schemaVersion: 24 }, linux)).toEqual({
    value: "plain",
  });
});
